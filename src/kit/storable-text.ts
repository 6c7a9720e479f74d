const PLAIN = /^[\x20-\x7E]*$/;

const REPLACEMENT = 0xfffd;

/**
 * Text that Postgres, XML and SNS take: NUL and other control characters, the two non-characters and lone
 * surrogates become U+FFFD, the replacement character. Tabs and line ends stay.
 */
export function storableText(text: string): string {
  if (PLAIN.test(text)) return text;
  // By hand: replacing a million characters one match at a time takes a tenth of a second.
  const units = Buffer.from(text.toWellFormed(), "utf16le");
  let changed = false;
  for (let at = 0; at < units.length; at += 2) {
    const unit = (units[at] as number) | ((units[at + 1] as number) << 8);
    if (!isRefused(unit)) continue;
    units.writeUInt16LE(REPLACEMENT, at);
    changed = true;
  }
  return changed ? units.toString("utf16le") : text.toWellFormed();
}

const isRefused = (unit: number): boolean =>
  (unit < 0x20 && unit !== 0x09 && unit !== 0x0a && unit !== 0x0d) ||
  (unit >= 0x7f && unit <= 0x9f) ||
  unit >= 0xfffe;
