//! Generational arena: handles survive edits, and the handle of a removed entry is refused.

/// Place and generation of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id {
    index: u32,
    generation: u32,
}

impl Id {
    /// A placeholder id.
    pub(super) fn unset() -> Id {
        Id { index: u32::MAX, generation: u32::MAX }
    }

    /// Slot number; dense, stable for the life of the entry.
    pub fn slot(self) -> usize {
        self.index as usize
    }
}

#[derive(Clone, Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// A list whose entries can be removed without moving the others.
#[derive(Clone, Debug)]
pub struct Arena<T> {
    slots: Vec<Slot<T>>,
    vacant: Vec<u32>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Arena { slots: Vec::new(), vacant: Vec::new() }
    }
}

impl<T> Arena<T> {
    /// Stores a value; reuses slots of removed ones.
    pub fn insert(&mut self, value: T) -> Id {
        if let Some(index) = self.vacant.pop() {
            let slot = &mut self.slots[index as usize];
            slot.value = Some(value);
            return Id { index, generation: slot.generation };
        }
        self.slots.push(Slot { generation: 0, value: Some(value) });
        Id { index: (self.slots.len() - 1) as u32, generation: 0 }
    }

    /// The entry, unless it was removed.
    pub fn get(&self, id: Id) -> Option<&T> {
        let slot = self.slots.get(id.slot())?;
        if slot.generation == id.generation { slot.value.as_ref() } else { None }
    }

    /// The entry, unless it was removed.
    pub fn get_mut(&mut self, id: Id) -> Option<&mut T> {
        let slot = self.slots.get_mut(id.slot())?;
        if slot.generation == id.generation { slot.value.as_mut() } else { None }
    }

    /// Takes the entry out; its handle is refused from now on.
    pub fn remove(&mut self, id: Id) -> Option<T> {
        let slot = self.slots.get_mut(id.slot())?;
        if slot.generation != id.generation {
            return None;
        }
        let value = slot.value.take()?;
        slot.generation += 1;
        self.vacant.push(id.index);
        Some(value)
    }

    /// All entries with their ids, in slot order.
    pub fn iter(&self) -> impl Iterator<Item = (Id, &T)> {
        self.slots.iter().enumerate().filter_map(|(i, s)| {
            s.value.as_ref().map(|v| (Id { index: i as u32, generation: s.generation }, v))
        })
    }

    /// Id of the entry in a slot, if it is used.
    pub fn id_in_slot(&self, slot: usize) -> Option<Id> {
        let s = self.slots.get(slot)?;
        s.value.as_ref().map(|_| Id { index: slot as u32, generation: s.generation })
    }

    /// Number of slots, used or vacant.
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_entry_is_refused_even_when_its_room_is_reused() {
        let mut a = Arena::default();
        let (x, y) = (a.insert("x"), a.insert("y"));
        assert_eq!(a.remove(x), Some("x"));
        let z = a.insert("z");
        assert_eq!(z.slot(), x.slot());
        assert_eq!((a.get(x), a.get(y), a.get(z)), (None, Some(&"y"), Some(&"z")));
        assert_eq!(a.remove(x), None);
    }
}
