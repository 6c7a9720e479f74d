/** Settings as lines of a file for `--settings`. */
export function settingLines(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).map(([name, value]) => `${name}=${value}`);
}
