import type uPlot from "uplot";

/**
 * The chart library, loaded apart: the page is there before it, and without it should it not start here.
 * As it is loaded it asks for numbers in the browser's language, and breaks where that is none of Intl's: a
 * browser of a system without a locale says `en-US@posix`.
 */
export async function loadPlot(): Promise<typeof uPlot> {
  if (!isLanguage(navigator.language))
    Object.defineProperty(navigator, "language", { value: "en", configurable: true });
  return (await import("uplot")).default;
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
