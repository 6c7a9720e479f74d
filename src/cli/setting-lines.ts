/** Settings as they stand in a file that `--settings` takes, a line each. */
export function settingLines(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).map(([name, value]) => `${name}=${value}`);
}
