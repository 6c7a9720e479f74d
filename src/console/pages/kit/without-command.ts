/** A reason without the command line that stands at its end, for a page that leads to where it is done. */
export const withoutCommand = (text: string): string =>
  text.replace(/ (?:Release it with|See): invoice-relay [a-z]+ [a-z]+ [0-9a-f-]{36}$/, "");
