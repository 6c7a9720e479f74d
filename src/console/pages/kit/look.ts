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
  try {
    const [kept, zone] = (localStorage.getItem(NAME) ?? "").split(" ");
    theme.value = THEMES.find((one) => one === kept) ?? "system";
    inUtc.value = zone === "utc";
  } catch {
    // Without storage, as without a visit before.
  }
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}

/** The next of the three, for the switch. */
export function switchTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "system";
  keep();
}

export function switchZone(): void {
  inUtc.value = !inUtc.value;
  keep();
}

const NAME = "invoice-relay.look";

function keep(): void {
  try {
    localStorage.setItem(NAME, `${theme.value} ${inUtc.value ? "utc" : "own"}`);
  } catch {
    // Private windows keep nothing: the choice lasts until the page is closed.
  }
}
