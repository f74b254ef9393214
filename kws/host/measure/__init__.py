"""What firmware and models cost: instructions, bytes, time."""
