// SPDX-License-Identifier: Apache-2.0
//! Compiles the library that `kws export cmake` wrote into KWS_EXPORT.

use std::path::{Path, PathBuf};
use std::process::{exit, Child, Command};
use std::{env, fs};

fn main() {
    for name in ["KWS_EXPORT", "CXX", "CXXFLAGS", "AR"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let export = env::var_os("KWS_EXPORT")
        .unwrap_or_else(|| fail("set KWS_EXPORT to a folder that `kws export cmake` wrote"));
    let sources = Path::new(&export).join("src");
    let bundle = bundle_name(&sources);
    println!("cargo:rerun-if-changed={}", sources.display());

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let declaration = format!(
        "extern \"C\" {{\n    #[link_name = \"kws_bundle_{bundle}\"]\n    \
         pub fn kws_bundle() -> *const Bundle;\n}}\n"
    );
    fs::write(out.join("bundle.rs"), declaration).expect("cargo's folder is writable");

    let objects = compile(&sources, &out);
    let library = out.join("libkws_core.a");
    // `ar` would keep the objects of an earlier export.
    let _ = fs::remove_file(&library);
    let archive = Command::new(program("AR", "ar")).arg("crs").arg(&library).args(&objects).spawn();
    finish(archive, &library);
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=kws_core");
}

/// NAME of the header kws_NAME.h.
fn bundle_name(sources: &Path) -> String {
    let entries = fs::read_dir(sources).unwrap_or_else(|_| {
        let folder = sources.display();
        fail(&format!("no folder {folder}; a relative KWS_EXPORT starts at the crate's folder"))
    });
    let name = entries.flatten().find_map(|entry| {
        let file = entry.file_name().into_string().ok()?;
        Some(file.strip_prefix("kws_")?.strip_suffix(".h")?.to_string())
    });
    name.unwrap_or_else(|| fail(&format!("no model in {}", sources.display())))
}

/// Compiles all sources, as many at a time as cargo allows.
fn compile(sources: &Path, out: &Path) -> Vec<PathBuf> {
    let target = env::var("TARGET").expect("cargo sets it");
    let flags = env::var("CXXFLAGS").unwrap_or_default();
    let jobs = env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
    let mut files = Vec::new();
    find_sources(sources, &mut files);
    let mut objects = Vec::new();
    for part in files.chunks(jobs) {
        let mut running = Vec::new();
        for file in part {
            let name = file.strip_prefix(sources).expect("it was found there").to_string_lossy();
            let object = out.join(name.replace(['/', '\\'], "_")).with_extension("o");
            let mut command = Command::new(program("CXX", "c++"));
            command.args(["-std=c++11", "-O2", "-fno-exceptions", "-fno-rtti"]);
            command.args(["-ffunction-sections", "-fdata-sections"]);
            if !target.contains("-none-") {
                command.arg("-fPIC");
            }
            command.args(flags.split_whitespace());
            command.arg("-I").arg(sources).arg("-c").arg(file).arg("-o").arg(&object);
            running.push((command.spawn(), file));
            objects.push(object);
        }
        for (compiler, file) in running {
            finish(compiler, file);
        }
    }
    objects
}

fn find_sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("it is a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            find_sources(&path, files);
        } else if path.extension().map_or(false, |extension| extension == "cc") {
            files.push(path);
        }
    }
}

/// A program of the system, or the one that a variable names.
fn program(variable: &str, usual: &str) -> String {
    env::var(variable).unwrap_or_else(|_| usual.to_string())
}

fn finish(child: std::io::Result<Child>, what: &Path) {
    match child.and_then(|mut child| child.wait()) {
        Ok(status) if status.success() => {}
        Ok(_) => fail(&format!("could not build {}", what.display())),
        Err(error) => fail(&format!("{error}: install a C++ compiler, or set CXX and AR")),
    }
}

fn fail(reason: &str) -> ! {
    eprintln!("kws: {reason}");
    exit(1);
}
