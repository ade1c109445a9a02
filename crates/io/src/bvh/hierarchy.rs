//! The skeleton of a BVH file: ROOT, JOINT, End Site with OFFSET and CHANNELS, in any order inside the braces.

use super::MAX_BONES;
use super::text::{Cursor, shown};
use crate::Error;
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::recording::{Bone, Channel, Skeleton};

const BRACES: &[u8] = b"{}";

/// An open brace: whose, and what it had so far.
struct Open {
    /// the bone; for an End Site the one it ends
    bone: usize,
    is_end: bool,
    offset: Option<Vec3>,
    has_channels: bool,
    from: usize,
}

/// Reads up to and with the word MOTION. Lengths stay as in the file.
pub(super) fn read(cursor: &mut Cursor, notes: &mut Vec<String>) -> Result<Skeleton, Error> {
    let first = cursor.word(BRACES);
    if !first.eq_ignore_ascii_case("HIERARCHY") {
        let at = cursor.at - first.len();
        // FBX says so in its second word, binary and as text
        if cursor.word(BRACES) == "FBX" {
            return Err(cursor.syntax(at, "this is an FBX file; export it as BVH from the tool that made it"));
        }
        return Err(cursor.syntax(at, format!("`{}`; a BVH file begins with HIERARCHY", shown(first))));
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
        notes.push(format!("{more_ends} End Sites of joints that have one already are left out"));
    }
    Ok(skeleton)
}

/// The numbers of an OFFSET.
fn offset(cursor: &mut Cursor, skeleton: &Skeleton, inner: &Open, from: usize) -> Result<Vec3, Error> {
    let field = || format!("OFFSET of {}", whose(skeleton, inner));
    if inner.offset.is_some() {
        return Err(cursor.field(from, field(), "given twice"));
    }
    let mut number = || cursor.number(BRACES, field);
    Ok(vec3(number()?, number()?, number()?))
}

/// CHANNELS for the bone that is open.
fn declare(cursor: &mut Cursor, skeleton: &mut Skeleton, inner: &mut Open, from: usize) -> Result<(), Error> {
    let field = format!("CHANNELS of {}", whose(skeleton, inner));
    let channels = channels(cursor, &field)?;
    if std::mem::replace(&mut inner.has_channels, true) {
        return Err(cursor.field(from, field, "given twice"));
    }
    if inner.is_end && !channels.is_empty() {
        return Err(cursor.field(from, field, "an End Site does not move"));
    }
    if !inner.is_end {
        skeleton.bones[inner.bone].channels = channels;
    }
    Ok(())
}

/// Gives the bone what stood in its braces; false for an End Site where there is one already.
fn close(cursor: &Cursor, skeleton: &mut Skeleton, inner: &Open) -> Result<bool, Error> {
    let Some(offset) = inner.offset else {
        let field = whose(skeleton, inner);
        return Err(cursor.field(inner.from, field, "has no OFFSET; three numbers were expected"));
    };
    let bone = &mut skeleton.bones[inner.bone];
    match (inner.is_end, bone.end) {
        (false, _) => bone.offset = offset,
        (true, None) => bone.end = Some(offset),
        (true, Some(_)) => return Ok(false),
    }
    Ok(true)
}

/// A word that cannot stand where it stands.
fn unexpected(cursor: &Cursor, skeleton: &Skeleton, inner: Option<&Open>, word: &str, from: usize) -> Error {
    let is = if word.is_empty() { "the text ends".into() } else { format!("`{}`", shown(word)) };
    let Some(inner) = inner else {
        return cursor.syntax(from, format!("{is}; ROOT or MOTION was expected"));
    };
    let whose = whose(skeleton, inner);
    if word.is_empty() {
        return cursor.syntax(from, format!("{is}; `}}` of {whose} was expected"));
    }
    let expected = if inner.is_end { "OFFSET or }" } else { "OFFSET, CHANNELS, JOINT, End Site or }" };
    cursor.syntax(from, format!("{is} in {whose}; {expected} was expected"))
}

/// A new bone up to its brace.
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
        return Err(cursor.syntax(from, "a joint without a name"));
    }
    brace(cursor, &name)?;
    skeleton.bones.push(Bone { name, parent, offset: Vec3::ZERO, end: None, channels: Vec::new() });
    Ok(Open { bone, is_end: false, offset: None, has_channels: false, from })
}

/// A name: to the brace or the end of the line; in quotes whatever they hold.
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

fn brace(cursor: &mut Cursor, whose: &str) -> Result<(), Error> {
    let word = cursor.word(BRACES);
    if word == "{" {
        return Ok(());
    }
    let what = format!("`{}` after {}; `{{` was expected", shown(word), shown(whose));
    Err(cursor.syntax(cursor.at - word.len(), what))
}

/// Count and names of channels.
fn channels(cursor: &mut Cursor, field: &str) -> Result<Vec<Channel>, Error> {
    const MOST: usize = 6;
    let word = cursor.word(BRACES);
    let from = cursor.at - word.len();
    let count = word.parse::<usize>().ok().filter(|n| *n <= MOST);
    let Some(count) = count else {
        return Err(cursor.field(
            from,
            field,
            &format!("`{}`; a count from 0 to {MOST} was expected", shown(word)),
        ));
    };
    let mut channels: Vec<Channel> = Vec::with_capacity(count);
    for n in 0..count {
        let word = cursor.word(BRACES);
        let from = cursor.at - word.len();
        let Some(channel) = channel(word) else {
            let what = format!(
                "`{}` as channel {} of {count}; Xposition, Zrotation or alike was expected",
                shown(word),
                n + 1
            );
            return Err(cursor.field(from, field, &what));
        };
        if let Some(what) = clash(&channels, channel) {
            return Err(cursor.field(from, field, &format!("`{word}`: {what}")));
        }
        channels.push(channel);
    }
    let next = cursor.peek_word(BRACES);
    if channel(next).is_some() {
        let what = format!("`{next}` after {count} channels; more than were counted");
        return Err(cursor.field(cursor.at, field, &what));
    }
    Ok(channels)
}

fn channel(word: &str) -> Option<Channel> {
    let axis =
        b"xyz".iter().position(|a| word.as_bytes().first().map(u8::to_ascii_lowercase) == Some(*a))? as u8;
    let kind = word.get(1..)?;
    match () {
        () if kind.eq_ignore_ascii_case("position") => Some(Channel::Position(axis)),
        () if kind.eq_ignore_ascii_case("rotation") => Some(Channel::Rotation(axis)),
        () => None,
    }
}

/// What forbids another channel: a place twice, more than three turns, two turns about one axis in a row.
fn clash(channels: &[Channel], new: Channel) -> Option<&'static str> {
    let turns: Vec<&Channel> = channels.iter().filter(|c| matches!(c, Channel::Rotation(_))).collect();
    match new {
        Channel::Position(_) if channels.contains(&new) => Some("given twice"),
        Channel::Rotation(_) if turns.len() == 3 => Some("more than three rotations"),
        Channel::Rotation(_) if turns.last() == Some(&&new) => Some("twice in a row"),
        _ => None,
    }
}

fn whose(skeleton: &Skeleton, open: &Open) -> String {
    let name = shown(&skeleton.bones[open.bone].name);
    if open.is_end { format!("End Site of {name}") } else { name }
}
