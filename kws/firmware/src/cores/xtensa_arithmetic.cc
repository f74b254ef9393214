// SPDX-License-Identifier: Apache-2.0
// What Debian's libgcc leaves out for Xtensa's lx106, because the ESP8266 has it in its ROM:
// integer multiplication and division, and floating point. Names: GCC Internals, "The GCC low-level
// runtime library". Rounds to nearest, ties to even (IEEE 754); a result that is not a number has
// one value.
#include <cstdint>
#include <cstring>

extern "C" uint64_t __udivmoddi4(uint64_t a, uint64_t b, uint64_t* rest);  // libgcc's

namespace {

uint64_t Product(uint32_t a, uint32_t b) {
  const uint32_t low = (a & 0xffff) * (b & 0xffff);
  const uint32_t middle = (a >> 16) * (b & 0xffff) + (low >> 16);
  const uint32_t other = (a & 0xffff) * (b >> 16) + (middle & 0xffff);
  const uint32_t high = (a >> 16) * (b >> 16) + (middle >> 16) + (other >> 16);
  return static_cast<uint64_t>(high) << 32 | (other << 16 | (low & 0xffff));
}

struct Quotient {
  uint32_t quotient;
  uint32_t rest;
};

// Requires b > 0.
Quotient Divide(uint32_t a, uint32_t b) {
  if (a < b) return {0, a};
  const int shift = __builtin_clz(b) - __builtin_clz(a);
  uint32_t quotient = 0;
  b <<= shift;
  for (int i = 0; i <= shift; ++i, b >>= 1) {
    quotient <<= 1;
    if (a < b) continue;
    a -= b;
    quotient |= 1;
  }
  return {quotient, a};
}

uint32_t Magnitude(int32_t a) {
  return a < 0 ? 0u - static_cast<uint32_t>(a) : static_cast<uint32_t>(a);
}

uint64_t Magnitude(int64_t a) {
  return a < 0 ? 0u - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
}

enum class Kind { kZero, kFinite, kInfinity, kNotANumber };

constexpr int kTop = 62;

// The value of a finite number is significand * 2 ** (exponent - kTop); bit kTop is the highest set
// bit. The significand's lowest bit is also set if any bit below it would be.
struct Number {
  Kind kind;
  bool negative;
  int exponent;
  uint64_t significand;
};

constexpr Number kNan = {Kind::kNotANumber, false, 0, 0};

uint64_t ShiftedRight(uint64_t value, int shift) {
  if (shift > kTop) return value != 0;
  const uint64_t lost = value & ((uint64_t{1} << shift) - 1);
  return value >> shift | (lost != 0);
}

// A number from any significand below 2 ** 64.
Number Normalized(bool negative, int exponent, uint64_t significand) {
  if (significand == 0) return {Kind::kZero, negative, 0, 0};
  const int shift = __builtin_clzll(significand) - 1;
  if (shift < 0) return {Kind::kFinite, negative, exponent + 1, ShiftedRight(significand, 1)};
  return {Kind::kFinite, negative, exponent - shift, significand << shift};
}

// IEEE 754's formats.
template <typename Bits_, typename Value_, int kFraction_>
struct Format {
  using Bits = Bits_;
  using Value = Value_;
  static constexpr int kFraction = kFraction_;
  static constexpr int kSign = 8 * sizeof(Bits) - 1;
  static constexpr int kMaxField = (1 << (kSign - kFraction)) - 1;
  static constexpr int kBias = kMaxField / 2;
  static constexpr Bits kInfinity = static_cast<Bits>(kMaxField) << kFraction;
};
using Single = Format<uint32_t, float, 23>;
using Double = Format<uint64_t, double, 52>;

template <typename F>
Number Unpack(typename F::Value value) {
  typename F::Bits bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const bool negative = bits >> F::kSign != 0;
  const int field = static_cast<int>(bits >> F::kFraction) & F::kMaxField;
  const uint64_t fraction = bits & ((typename F::Bits{1} << F::kFraction) - 1);
  if (field == F::kMaxField) {
    if (fraction != 0) return kNan;
    return {Kind::kInfinity, negative, 0, 0};
  }
  const uint64_t implied = field == 0 ? 0 : uint64_t{1} << F::kFraction;
  const int exponent = (field == 0 ? 1 : field) - F::kBias;
  return Normalized(negative, exponent, (implied | fraction) << (kTop - F::kFraction));
}

template <typename F>
typename F::Bits PackMagnitude(const Number& number) {
  using Bits = typename F::Bits;
  if (number.kind == Kind::kZero) return 0;
  if (number.kind == Kind::kNotANumber) return F::kInfinity | Bits{1} << (F::kFraction - 1);
  int field = number.exponent + F::kBias;
  if (number.kind == Kind::kInfinity || field >= F::kMaxField) return F::kInfinity;
  uint64_t significand = number.significand;
  if (field <= 0) {
    significand = ShiftedRight(significand, 1 - field);
    field = 1;  // without the implied bit, which is added to the field below
  }
  constexpr int kDropped = kTop - F::kFraction;
  constexpr uint64_t kHalf = uint64_t{1} << (kDropped - 1);
  const uint64_t rest = significand & (2 * kHalf - 1);
  uint64_t kept = significand >> kDropped;
  if (rest > kHalf || (rest == kHalf && kept % 2 != 0)) ++kept;
  return (static_cast<Bits>(field - 1) << F::kFraction) + static_cast<Bits>(kept);
}

template <typename F>
typename F::Value Pack(const Number& number) {
  const typename F::Bits sign = number.negative ? 1 : 0;
  const typename F::Bits bits = PackMagnitude<F>(number) | sign << F::kSign;
  typename F::Value value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

Number Negated(Number number) {
  number.negative = !number.negative;
  return number;
}

Number Add(Number a, Number b) {
  if (a.kind == Kind::kNotANumber || b.kind == Kind::kNotANumber) return kNan;
  if (a.kind == Kind::kInfinity) {
    return b.kind == Kind::kInfinity && a.negative != b.negative ? kNan : a;
  }
  if (b.kind == Kind::kInfinity) return b;
  if (b.kind == Kind::kZero) {
    if (a.kind == Kind::kZero) a.negative = a.negative && b.negative;
    return a;
  }
  if (a.kind == Kind::kZero) return b;
  if (a.exponent < b.exponent) {
    const Number smaller = a;
    a = b;
    b = smaller;
  }
  const uint64_t other = ShiftedRight(b.significand, a.exponent - b.exponent);
  if (a.negative == b.negative) return Normalized(a.negative, a.exponent, a.significand + other);
  if (a.significand == other) return {Kind::kZero, false, 0, 0};
  const bool swapped = a.significand < other;
  const uint64_t difference = swapped ? other - a.significand : a.significand - other;
  return Normalized(a.negative != swapped, a.exponent, difference);
}

Number Multiply(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::kNotANumber || b.kind == Kind::kNotANumber) return kNan;
  const bool zero = a.kind == Kind::kZero || b.kind == Kind::kZero;
  if (a.kind == Kind::kInfinity || b.kind == Kind::kInfinity) {
    if (zero) return kNan;
    return {Kind::kInfinity, negative, 0, 0};
  }
  if (zero) return {Kind::kZero, negative, 0, 0};
  const uint32_t a_low = static_cast<uint32_t>(a.significand);
  const uint32_t a_high = static_cast<uint32_t>(a.significand >> 32);
  const uint32_t b_low = static_cast<uint32_t>(b.significand);
  const uint32_t b_high = static_cast<uint32_t>(b.significand >> 32);
  const uint64_t low = Product(a_low, b_low);
  const uint64_t middle = Product(a_high, b_low) + (low >> 32);  // below 2 ** 64
  const uint64_t other = Product(a_low, b_high) + static_cast<uint32_t>(middle);
  const uint64_t high = Product(a_high, b_high) + (middle >> 32) + (other >> 32);
  const bool rest = static_cast<uint32_t>(low) != 0 || static_cast<uint32_t>(other) != 0;
  // The product's bit 2 * kTop is bit 60 of `high`.
  return Normalized(negative, a.exponent + b.exponent + 2, high | (rest ? 1u : 0u));
}

Number Divide(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::kNotANumber || b.kind == Kind::kNotANumber ||
      (a.kind == b.kind && a.kind != Kind::kFinite)) {
    return kNan;
  }
  if (a.kind == Kind::kInfinity || b.kind == Kind::kZero) return {Kind::kInfinity, negative, 0, 0};
  if (a.kind == Kind::kZero || b.kind == Kind::kInfinity) return {Kind::kZero, negative, 0, 0};
  uint64_t rest = a.significand;
  uint64_t quotient = 0;
  for (int bit = kTop; bit >= 0; --bit, rest <<= 1) {
    if (rest < b.significand) continue;
    rest -= b.significand;
    quotient |= uint64_t{1} << bit;
  }
  return Normalized(negative, a.exponent - b.exponent, quotient | (rest != 0));
}

Number FromInteger(bool negative, uint32_t magnitude) {
  return Normalized(magnitude != 0 && negative, kTop, magnitude);
}

}  // namespace

extern "C" {

int64_t __muldi3(int64_t a, int64_t b) {
  const uint32_t a_low = static_cast<uint32_t>(a);
  const uint32_t a_high = static_cast<uint32_t>(a >> 32);
  const uint32_t b_low = static_cast<uint32_t>(b);
  const uint32_t b_high = static_cast<uint32_t>(b >> 32);
  const uint64_t high = static_cast<uint64_t>(a_high * b_low + a_low * b_high) << 32;
  return static_cast<int64_t>(Product(a_low, b_low) + high);
}

uint64_t __umulsidi3(uint32_t a, uint32_t b) { return Product(a, b); }

uint32_t __udivsi3(uint32_t a, uint32_t b) { return Divide(a, b).quotient; }

uint32_t __umodsi3(uint32_t a, uint32_t b) { return Divide(a, b).rest; }

int32_t __divsi3(int32_t a, int32_t b) {
  const uint32_t quotient = Divide(Magnitude(a), Magnitude(b)).quotient;
  return static_cast<int32_t>((a < 0) != (b < 0) ? 0u - quotient : quotient);
}

int64_t __divdi3(int64_t a, int64_t b) {
  uint64_t rest;
  const uint64_t quotient = __udivmoddi4(Magnitude(a), Magnitude(b), &rest);
  return static_cast<int64_t>((a < 0) != (b < 0) ? 0u - quotient : quotient);
}

float __addsf3(float a, float b) { return Pack<Single>(Add(Unpack<Single>(a), Unpack<Single>(b))); }

float __subsf3(float a, float b) {
  return Pack<Single>(Add(Unpack<Single>(a), Negated(Unpack<Single>(b))));
}

float __mulsf3(float a, float b) {
  return Pack<Single>(Multiply(Unpack<Single>(a), Unpack<Single>(b)));
}

double __adddf3(double a, double b) {
  return Pack<Double>(Add(Unpack<Double>(a), Unpack<Double>(b)));
}

double __subdf3(double a, double b) {
  return Pack<Double>(Add(Unpack<Double>(a), Negated(Unpack<Double>(b))));
}

double __muldf3(double a, double b) {
  return Pack<Double>(Multiply(Unpack<Double>(a), Unpack<Double>(b)));
}

double __divdf3(double a, double b) {
  return Pack<Double>(Divide(Unpack<Double>(a), Unpack<Double>(b)));
}

float __floatsisf(int32_t a) { return Pack<Single>(FromInteger(a < 0, Magnitude(a))); }

float __floatunsisf(uint32_t a) { return Pack<Single>(FromInteger(false, a)); }

double __floatsidf(int32_t a) { return Pack<Double>(FromInteger(a < 0, Magnitude(a))); }

double __floatunsidf(uint32_t a) { return Pack<Double>(FromInteger(false, a)); }

double __extendsfdf2(float a) { return Pack<Double>(Unpack<Single>(a)); }

float __truncdfsf2(double a) { return Pack<Single>(Unpack<Double>(a)); }

// Towards zero; undefined outside of int32_t.
int32_t __fixdfsi(double a) {
  const Number number = Unpack<Double>(a);
  if (number.kind != Kind::kFinite || number.exponent < 0) return 0;
  const uint32_t magnitude = static_cast<uint32_t>(number.significand >> (kTop - number.exponent));
  return static_cast<int32_t>(number.negative ? 0u - magnitude : magnitude);
}

}  // extern "C"
