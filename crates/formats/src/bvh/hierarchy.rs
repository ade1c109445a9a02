//! The skeleton of a BVH file: ROOT, JOINT, End Site with OFFSET and CHANNELS, in any order inside the braces.

use super::MAX_BONES;
use super::text::{Cursor, axis_of};
use crate::Error;
use crate::names::clipped;
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::note::Note;
use anthropi_motion::recording::{Bone, Channel, Skeleton};

const BRACES: &[u8] = b"{}";

/// An open brace and its content so far.
struct Open {
    /// the bone; for an End Site the one it ends
    bone: usize,
    is_end: bool,
    offset: Option<Vec3>,
    has_channels: bool,
    from: usize,
}

/// Reads up to and including MOTION. Lengths stay in units of the file.
pub(super) fn read(cursor: &mut Cursor, notes: &mut Vec<Note>) -> Result<Skeleton, Error> {
    let first = cursor.word(BRACES);
    if !first.eq_ignore_ascii_case("HIERARCHY") {
        let at = cursor.at - first.len();
        // FBX has its name as the second word, in binary and in text files
        if cursor.word(BRACES) == "FBX" {
            return Err(cursor.syntax(at, "this is an FBX file; export it as BVH from the tool that made it"));
        }
        let what = format!("found `{}`, expected HIERARCHY at the start of a BVH file", clipped(first));
        return Err(cursor.syntax(at, what));
    }
    let mut skeleton = Skeleton::default();
    let mut open: Vec<Open> = Vec::new();
    let mut more_ends = 0;
    loop {
        let word = cursor.word(BRACES);
        let from = cursor.at - word.len();
        match (word.to_ascii_uppercase().as_str(), open.last_mut()) {
            ("MOTION", None) => break,
            ("ROOT", None) => open.push(begin(cursor, &mut skeleton, None, from)?),
            ("JOINT", Some(Open { bone, is_end: false, .. })) => {
                let parent = *bone;
                open.push(begin(cursor, &mut skeleton, Some(parent), from)?);
            }
            ("END" | "ENDSITE", Some(Open { bone, is_end: false, .. })) => {
                let bone = *bone;
                cursor.rest_of_line(BRACES);
                brace(cursor, "End Site")?;
                open.push(Open { bone, is_end: true, offset: None, has_channels: false, from });
            }
            ("OFFSET", Some(inner)) => inner.offset = Some(offset(cursor, &skeleton, inner, from)?),
            ("CHANNELS", Some(inner)) => declare(cursor, &mut skeleton, inner, from)?,
            ("}", Some(inner)) => {
                more_ends += usize::from(!close(cursor, &mut skeleton, inner)?);
                open.pop();
            }
            (_, inner) => return Err(unexpected(cursor, &skeleton, inner.as_deref(), word, from)),
        }
    }
    if skeleton.bones.is_empty() {
        return Err(cursor.syntax(cursor.at, "no ROOT before MOTION"));
    }
    if more_ends > 0 {
        notes.push(Note::warning(format!("{more_ends} additional End Sites of joints are ignored")));
    }
    Ok(skeleton)
}

/// The numbers of an OFFSET.
fn offset(cursor: &mut Cursor, skeleton: &Skeleton, inner: &Open, from: usize) -> Result<Vec3, Error> {
    let field = || format!("OFFSET of {}", label(skeleton, inner));
    if inner.offset.is_some() {
        return Err(cursor.field(from, field(), "given twice"));
    }
    let mut number = || cursor.number(BRACES, field);
    Ok(vec3(number()?, number()?, number()?))
}

/// CHANNELS of the open bone.
fn declare(cursor: &mut Cursor, skeleton: &mut Skeleton, inner: &mut Open, from: usize) -> Result<(), Error> {
    let field = format!("CHANNELS of {}", label(skeleton, inner));
    let channels = channels(cursor, &field)?;
    if std::mem::replace(&mut inner.has_channels, true) {
        return Err(cursor.field(from, field, "given twice"));
    }
    if inner.is_end && !channels.is_empty() {
        return Err(cursor.field(from, field, "an End Site has no channels"));
    }
    if !inner.is_end {
        skeleton.bones[inner.bone].channels = channels;
    }
    Ok(())
}

/// Sets the offset of a bone or its end; false for an additional End Site.
fn close(cursor: &Cursor, skeleton: &mut Skeleton, inner: &Open) -> Result<bool, Error> {
    let Some(offset) = inner.offset else {
        let field = label(skeleton, inner);
        return Err(cursor.field(inner.from, field, "has no OFFSET, expected three numbers"));
    };
    let bone = &mut skeleton.bones[inner.bone];
    match (inner.is_end, bone.end) {
        (false, _) => bone.offset = offset,
        (true, None) => bone.end = Some(offset),
        (true, Some(_)) => return Ok(false),
    }
    Ok(true)
}

/// An error about an unexpected word.
fn unexpected(cursor: &Cursor, skeleton: &Skeleton, inner: Option<&Open>, word: &str, from: usize) -> Error {
    let found = if word.is_empty() { "end of file".into() } else { format!("`{}`", clipped(word)) };
    let Some(inner) = inner else {
        return cursor.syntax(from, format!("found {found}, expected ROOT or MOTION"));
    };
    let owner = label(skeleton, inner);
    if word.is_empty() {
        return cursor.syntax(from, format!("found {found}, expected `}}` of {owner}"));
    }
    let expected = if inner.is_end { "OFFSET or }" } else { "OFFSET, CHANNELS, JOINT, End Site or }" };
    cursor.syntax(from, format!("found {found} in {owner}, expected {expected}"))
}

/// Starts a bone, up to its brace.
fn begin(
    cursor: &mut Cursor,
    skeleton: &mut Skeleton,
    parent: Option<usize>,
    from: usize,
) -> Result<Open, Error> {
    let bone = skeleton.bones.len();
    if bone == MAX_BONES {
        return Err(cursor.syntax(from, format!("more than {MAX_BONES} joints")));
    }
    let name = name(cursor);
    if name.is_empty() {
        return Err(cursor.syntax(from, "the joint has no name"));
    }
    brace(cursor, &name)?;
    skeleton.bones.push(Bone { name, parent, offset: Vec3::ZERO, end: None, channels: Vec::new() });
    Ok(Open { bone, is_end: false, offset: None, has_channels: false, from })
}

/// A name, up to the brace or the end of the line; quoted names may contain anything.
fn name(cursor: &mut Cursor) -> String {
    cursor.skip_to_line_end();
    let from = cursor.at;
    let line = cursor.rest_of_line(b"");
    if let Some(rest) = line.strip_prefix('"')
        && let Some(length) = rest.find('"')
        && matches!(rest[length + 1..].trim_start().bytes().next(), None | Some(b'{'))
    {
        cursor.at = from + length + 2;
        return rest[..length].into();
    }
    cursor.at = from;
    cursor.rest_of_line(b"{").into()
}

fn brace(cursor: &mut Cursor, owner: &str) -> Result<(), Error> {
    let word = cursor.word(BRACES);
    if word == "{" {
        return Ok(());
    }
    let what = format!("found `{}` after {}, expected `{{`", clipped(word), clipped(owner));
    Err(cursor.syntax(cursor.at - word.len(), what))
}

/// Count and names of channels.
fn channels(cursor: &mut Cursor, field: &str) -> Result<Vec<Channel>, Error> {
    const MAX_CHANNELS: usize = 6;
    let word = cursor.word(BRACES);
    let from = cursor.at - word.len();
    let count = word.parse::<usize>().ok().filter(|n| *n <= MAX_CHANNELS);
    let Some(count) = count else {
        let what = format!("found `{}`, expected a count from 0 to {MAX_CHANNELS}", clipped(word));
        return Err(cursor.field(from, field, &what));
    };
    let mut channels: Vec<Channel> = Vec::with_capacity(count);
    for n in 0..count {
        let word = cursor.word(BRACES);
        let from = cursor.at - word.len();
        let Some(channel) = channel(word) else {
            let (found, n) = (clipped(word), n + 1);
            let what =
                format!("found `{found}` as channel {n} of {count}, expected e.g. Xposition or Zrotation");
            return Err(cursor.field(from, field, &what));
        };
        if let Some(what) = conflict(&channels, channel) {
            return Err(cursor.field(from, field, &format!("`{word}`: {what}")));
        }
        channels.push(channel);
    }
    let next = cursor.peek_word(BRACES);
    if channel(next).is_some() {
        let what = format!("found `{next}` after {count} channels, more than the stated number");
        return Err(cursor.field(cursor.at, field, &what));
    }
    Ok(channels)
}

fn channel(word: &str) -> Option<Channel> {
    let axis = axis_of(*word.as_bytes().first()?)? as u8;
    match word.get(1..)?.to_ascii_lowercase().as_str() {
        "position" => Some(Channel::Position(axis)),
        "rotation" => Some(Channel::Rotation(axis)),
        _ => None,
    }
}

/// Conflict with earlier channels: a repeated position, more than three rotations, two about one axis in a row.
fn conflict(channels: &[Channel], new: Channel) -> Option<&'static str> {
    let rotations: Vec<&Channel> = channels.iter().filter(|c| matches!(c, Channel::Rotation(_))).collect();
    match new {
        Channel::Position(_) if channels.contains(&new) => Some("given twice"),
        Channel::Rotation(_) if rotations.len() == 3 => Some("more than three rotations"),
        Channel::Rotation(_) if rotations.last() == Some(&&new) => Some("twice in a row"),
        _ => None,
    }
}

fn label(skeleton: &Skeleton, open: &Open) -> String {
    let name = clipped(&skeleton.bones[open.bone].name);
    if open.is_end { format!("End Site of {name}") } else { name }
}
