/** A length of time in ms, in the unit a person would say: `212 ms`, `4.2 s`, `12 min`, `3.5 h`, `2 days`. */
export function spanText(ms: number): string {
  const size = Math.abs(ms);
  // Each unit ends where it would be rounded to the next.
  if (size < 999.5) return `${Math.round(ms)} ms`;
  if (size < 59_500) return `${short(ms / 1_000)} s`;
  if (size < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  if (size < 172_800_000) return `${short(ms / 3_600_000)} h`;
  return `${short(ms / 86_400_000)} days`;
}

const short = (value: number) =>
  Math.abs(value) < 10 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0);
