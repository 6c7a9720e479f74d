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
const AMOUNT_STYLE = [
  ".money { white-space: nowrap; }",
  ...WIDTHS.flatMap((width) =>
    STEPS.map((step, nth) => {
      const tooNarrowFor = Number((width * (STEPS[nth - 1] ?? 1)).toFixed(2));
      return `@container (width < ${tooNarrowFor}ch) { .w${width} { font-size: ${step}em; } }`;
    }),
  ),
].join("\n");

/** The payer's page's one stylesheet, served from its own address so that the page needs no inline style. */
export const PAY_PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #eef1f5; --card: #fff; --ink: #16202e; --quiet: #546173; --line: #d9dfe7;
  --brand: #0b5fce; --brand-dark: #084a9f; --on-brand: #fff; --tint: #eef5ff;
  --good: #0d6b3d; --good-tint: #e6f5ec; --bad: #8f2a1c; --bad-tint: #fcecea; --warn: #6e4a00; --warn-tint: #fff4d9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e141c; --card: #17202b; --ink: #eef2f7; --quiet: #a9b6c6; --line: #2f3b4a;
    --brand: #6aa9ff; --brand-dark: #93c1ff; --on-brand: #07182e; --tint: #1b2b42;
    --good: #7ddba6; --good-tint: #14301f; --bad: #ffb0a3; --bad-tint: #3a1b17; --warn: #f4cf78; --warn-tint: #362b10;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center;
  padding: 1.25rem 1rem 2rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
}
main, footer { width: 100%; max-width: 28rem; }
main { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; overflow: hidden;
  box-shadow: 0 1px 2px rgb(16 32 56 / .05), 0 12px 32px rgb(16 32 56 / .08); }
.test { margin: 0; padding: .5rem 1.5rem; background: var(--warn-tint); color: var(--warn); font-size: .875rem; font-weight: 600; }
.biller { display: flex; gap: .875rem; align-items: center; padding: 1.25rem 1.5rem; border-bottom: 1px solid var(--line); }
.mark { flex: none; display: grid; place-items: center; width: 2.75rem; height: 2.75rem; border-radius: .75rem;
  background: var(--tint); color: var(--brand-dark); font-weight: 700; font-size: 1.125rem; }
.biller p { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.biller .name { font-weight: 600; }
.quiet { color: var(--quiet); font-size: .875rem; }
/* Each container has the font of the amounts in it, so that its width can be told in their digits. */
.due, dl, button { container-type: inline-size; font-variant-numeric: tabular-nums; }
.due { padding: 1.5rem 1.5rem 0; font-size: 2.25rem; font-weight: 700; }
.due .quiet { font-weight: 400; }
h1 { margin: 0; font-size: 1rem; font-weight: 500; overflow-wrap: anywhere; }
.total { margin: .125rem 0 0; line-height: 1.15; letter-spacing: -.02em; }
dl { margin: 1.25rem 1.5rem 0; border-top: 1px solid var(--line); padding-top: 1rem; font-weight: 600; }
dl div { display: flex; font-weight: 400; flex-wrap: wrap; gap: 0 1.5rem; padding: .25rem 0; }
dt { color: var(--quiet); flex: none; }
dd { margin: 0 0 0 auto; text-align: right; overflow-wrap: anywhere; min-width: 0; }
dl .sum { border-top: 1px solid var(--line); margin-top: .5rem; padding-top: .75rem; font-weight: 600; }
dl .sum dt { color: inherit; }
form { padding: 1.5rem; }
fieldset { border: 0; margin: 0 0 1.25rem; padding: 0; display: grid; gap: .625rem; }
legend { padding: 0; margin-bottom: .625rem; font-weight: 600; }
.way { position: relative; display: flex; align-items: center; gap: .875rem; min-height: 3.75rem; padding: .75rem 1rem;
  border: 1px solid var(--line); border-radius: .75rem; cursor: pointer; }
.way:hover { border-color: var(--brand); }
.way:has(input:checked) { border-color: var(--brand); background: var(--tint); box-shadow: inset 0 0 0 1px var(--brand); }
.way input { width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--brand); flex: none; }
.way span { display: block; }
.way:focus-within, button:focus-visible, a:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
.way input:focus { outline: none; }
button { width: 100%; min-height: 3.25rem; padding: .75rem 1.25rem; border: 0; border-radius: .75rem; cursor: pointer;
  background: var(--brand); color: var(--on-brand); font: inherit; font-size: 1.0625rem; font-weight: 600;
  overflow-wrap: anywhere; }
button:hover { background: var(--brand-dark); }
.until { margin: .875rem 0 0; text-align: center; }
.state { margin: 1.25rem 1.5rem 0; padding: 1rem 1.125rem; border-radius: .75rem; display: flex; gap: .75rem; }
.state p { margin: 0; }
.state .what { font-weight: 600; }
.state svg { flex: none; width: 1.5rem; height: 1.5rem; }
.good { background: var(--good-tint); color: var(--good); }
.bad { background: var(--bad-tint); color: var(--bad); }
.notice { margin: 1.25rem 1.5rem 0; padding: .75rem 1rem; border-radius: .75rem; background: var(--bad-tint); color: var(--bad); }
.end { height: 1.5rem; }
.back { margin: 0; padding: 0 1.5rem 1.5rem; text-align: center; overflow-wrap: anywhere; }
a { color: var(--brand); }
footer { padding: 1.25rem .5rem 0; text-align: center; color: var(--quiet); font-size: .8125rem; overflow-wrap: anywhere; }
footer p { margin: 0 0 .25rem; }
.until, .state p, footer p, h1 { text-wrap: balance; }
@media (min-width: 40rem) { body { padding-top: 3.5rem; } }
${AMOUNT_STYLE}
@media print { body { background: none; } main { border: 0; box-shadow: none; } form { display: none; } }
`;
