/** What an amount may take at most, in widths of the font's zero; larger ones count as the last. */
const WIDTHS = [12, 15, 18, 21, 24, 27, 30, 36] as const;

/** How far letters shrink, step by step, until an amount fits. */
const STEPS = [0.85, 0.72, 0.62, 0.53, 0.46, 0.4, 0.34, 0.29, 0.25] as const;

/**
 * The class of an amount as it is written, such as `NGN 40,400.00`. In common fonts a letter is at most 1.6
 * and a comma, a point or a space at most 0.6 times as wide as a zero.
 */
export function amountClass(written: string): string {
  const width = [...written].reduce(
    (sum, sign) => sum + (/\d/.test(sign) ? 1 : /[\s.,]/.test(sign) ? 0.6 : 1.6),
    0,
  );
  return `money w${WIDTHS.find((most) => width <= most) ?? WIDTHS[WIDTHS.length - 1]}`;
}

/**
 * Digits of an amount stay on one line: broken in two it reads as another. How wide a font is only the
 * browser knows, so that it measures: `ch` is the width of the zero in the font of the container around the
 * amount.
 */
export const AMOUNT_STYLE = [
  ".money { white-space: nowrap; }",
  ...WIDTHS.flatMap((width) =>
    STEPS.map((step, nth) => {
      const tooNarrowFor = Number((width * (STEPS[nth - 1] ?? 1)).toFixed(2));
      return `@container (width < ${tooNarrowFor}ch) { .w${width} { font-size: ${step}em; } }`;
    }),
  ),
].join("\n");
