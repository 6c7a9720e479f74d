import { effect, signal } from "@preact/signals";
import { remember, remembered } from "./remembered.ts";

export type Theme = "system" | "light" | "dark";
const THEMES: readonly Theme[] = ["system", "light", "dark"];

export const theme = signal<Theme>("system");
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
/** Counts each change of what is seen: a canvas is drawn again. */
export const themeChanges = signal(0);

/** The system's choice, until somebody chooses here. */
export function startTheme(): void {
  theme.value = THEMES.find((one) => one === remembered("theme")) ?? "system";
  effect(() => {
    const dark = theme.value === "dark" || (theme.value === "system" && systemIsDark.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    themeChanges.value = themeChanges.peek() + 1;
  });
  systemIsDark.addEventListener("change", () => {
    if (theme.value !== "system") return;
    document.documentElement.dataset.theme = systemIsDark.matches ? "dark" : "light";
    themeChanges.value += 1;
  });
}

/** The next of the three, for the switch. */
export function switchTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "system";
  remember("theme", theme.value);
}
