import { useEffect } from "preact/hooks";

/** A key that does something, told by the help that `?` opens. */
export interface Shortcut {
  /** As `KeyboardEvent.key`; two with a space between for one after the other: `g p`. */
  keys: string;
  what: string;
  act: () => void;
}

const known = new Set<Shortcut>();
/** How long the first key of two waits for the second. */
const SEQUENCE_MS = 1_500;
let first: { key: string; at: number } | null = null;

export const shortcutsNow = (): Shortcut[] => [...known];

/** Shortcuts for as long as the component is there; the last one that asked for a key has it. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    for (const shortcut of shortcuts) known.add(shortcut);
    return () => {
      for (const shortcut of shortcuts) known.delete(shortcut);
    };
  }, [shortcuts]);
}

window.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target))
    return;
  if (document.querySelector("dialog[open]") !== null) return;
  const before = first !== null && event.timeStamp - first.at < SEQUENCE_MS ? first.key : null;
  first = null;
  const shortcut = find(before === null ? event.key : `${before} ${event.key}`) ?? find(event.key);
  if (shortcut !== undefined) {
    event.preventDefault();
    shortcut.act();
  } else if ([...known].some(({ keys }) => keys.startsWith(`${event.key} `)))
    first = { key: event.key, at: event.timeStamp };
});

const find = (keys: string) => [...known].findLast((shortcut) => shortcut.keys === keys);

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null
  );
}
