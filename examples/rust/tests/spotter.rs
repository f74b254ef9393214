// SPDX-License-Identifier: Apache-2.0
use kws::{blocks, Block, Error, Spotter};

fn memory() -> Vec<Block> {
    vec![Block::EMPTY; blocks()]
}

#[test]
fn too_little_memory_is_an_error() {
    let mut memory = memory();
    let missing_one = blocks() - 1;
    let error = Spotter::new(&mut memory[..missing_one]).err();
    assert_eq!(error, Some(Error::MemoryTooSmall));
    assert!(Error::MemoryTooSmall.message().contains("memory is too small"));
    assert!(Spotter::new(&mut memory).is_ok());
}

#[test]
fn labels_begin_with_silence_and_unknown() {
    let mut memory = memory();
    let spotter = Spotter::new(&mut memory).unwrap();
    let labels: Vec<_> = spotter.labels().collect();
    assert_eq!(labels[..2], ["silence", "unknown"]);
    assert!(labels.len() > 2);
}

#[test]
fn thresholds_are_set_and_kept() {
    let mut memory = memory();
    let mut spotter = Spotter::new(&mut memory).unwrap();
    let words: Vec<_> = spotter.labels().skip(2).collect();
    for (word, threshold) in words.iter().zip([7, 255]) {
        assert_ne!(spotter.threshold(word), Ok(threshold));
        spotter.set_threshold(word, threshold).unwrap();
    }
    spotter.reset().unwrap();
    assert_eq!(spotter.threshold(words[0]), Ok(7));
    assert_eq!(spotter.set_threshold("nobody says this", 7), Err(Error::NoSuchWord));
    assert_eq!(spotter.threshold("nobody says this"), Err(Error::NoSuchWord));
    assert_eq!(spotter.mean_score("nobody says this"), Err(Error::NoSuchWord));
}

#[test]
fn a_spotter_works_after_it_moved() {
    let mut memory = memory();
    let spotter = Spotter::new(&mut memory).unwrap();
    let mut moved = Box::new(spotter);
    moved.push(&[0; 32000], |hit| panic!("{hit:?} in silence")).unwrap();
    let sum: u32 =
        ["silence", "unknown"].iter().map(|l| u32::from(moved.mean_score(l).unwrap())).sum();
    assert!(sum > 200, "the scores of two seconds of silence");
    moved.reset().unwrap();
    assert_eq!(moved.mean_score("silence"), Ok(0));
}

#[test]
fn each_status_has_a_message() {
    assert_eq!(Error::Core(3).to_string(), "model is damaged; convert it again");
    assert_eq!(Error::Core(-1).message(), "internal error; report it");
}
