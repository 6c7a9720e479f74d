const named = (name: string) => `invoice-relay.${name}`;

/** A choice of look from the last visit; null without one, or where the browser keeps nothing. */
export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(named(name));
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(named(name), value);
  } catch {
    // Private windows keep nothing: the choice lasts until the page is closed.
  }
}
