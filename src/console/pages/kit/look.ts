import { computed, effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const THEMES: readonly Theme[] = ["system", "light", "dark"];

/** The system's choice, until somebody chooses here. */
export const theme = signal<Theme>("system");

/** Whether times are shown in UTC; else in the viewer's own zone. */
export const inUtc = signal(false);
/** The IANA name of the zone that times are shown in. */
export const zone = computed(() => (inUtc.value ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone));

/** As it was at the last visit. */
export function startLook(): void {
  theme.value = THEMES.find((one) => one === remembered("theme")) ?? "system";
  inUtc.value = remembered("zone") === "utc";
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}

/** The next of the three, for the switch. */
export function switchTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "system";
  remember("theme", theme.value);
}

export function switchZone(): void {
  inUtc.value = !inUtc.value;
  remember("zone", inUtc.value ? "utc" : "own");
}

const named = (name: string) => `invoice-relay.${name}`;

/** null without a choice, or where the browser keeps nothing. */
function remembered(name: string): string | null {
  try {
    return localStorage.getItem(named(name));
  } catch {
    return null;
  }
}

function remember(name: string, value: string): void {
  try {
    localStorage.setItem(named(name), value);
  } catch {
    // Private windows keep nothing: the choice lasts until the page is closed.
  }
}
