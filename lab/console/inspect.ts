import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { toolFile } from "../../tools/tools.ts";
import { UNSEEN } from "./hostile-texts.ts";

const AXE = readFileSync(toolFile("axe-core/axe.min.js"), "utf8");

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What axe has against the page, a line for each element; all of its rules but experimental ones. */
async function axeProblems(page: Page): Promise<string[]> {
  // The page's policy lets no script in but its own: this comes in as a debugger does.
  await page.evaluate(AXE);
  const violations = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)",
  )) as Violation[];
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary.replaceAll("\n", " ")}`,
    ),
  );
}

/**
 * What texts from outside did to a page: a script that ran, an element that was made, a character that hides.
 */
async function harmDone(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const unseen = new RegExp(${JSON.stringify(UNSEEN)}, "u");
    const harm = [];
    if ("ran" in window) harm.push("ran: " + window.ran);
    for (const made of document.querySelectorAll("img[src='x'], [data-made], body script, [onerror]"))
      harm.push("made: " + made.outerHTML.slice(0, 200));
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      // A field holds what one gave it, to the character.
      const shown = [...(node.attributes ?? [])].filter((a) => !node.matches(".field :is(input, textarea)") || a.name !== "value");
      const texts = node.nodeType === Node.TEXT_NODE ? [node.data] : shown.map((a) => a.value);
      for (const text of texts)
        if (unseen.test(text)) {
          const harness = node.parentElement?.outerHTML.slice(0, 120);
          harm.push("hides: " + JSON.stringify(text.slice(0, 200)) + " in " + harness);
        }
    }
    if (unseen.test(document.title)) harm.push("hides in the title: " + JSON.stringify(document.title));
    return harm;
  })()`)) as string[];
}

/** What check boxes are called, where several of a page are called the same: nobody hears which is which. */
async function sharedNames(page: Page): Promise<string[]> {
  const boxes = await page.getByRole("checkbox").all();
  const names = await Promise.all(boxes.map((box) => box.getAttribute("aria-label")));
  return [...new Set(names.filter((name, at) => name !== null && names.indexOf(name) !== at))].map(
    (name) => `several check boxes are called "${name}"`,
  );
}

/** All that is wrong with the page: what axe says, names that are shared, harm that texts did, what is too wide. */
export async function problemsOf(page: Page): Promise<string[]> {
  // A phone's `innerWidth` grows with the page.
  const isWider = await page.evaluate(
    "document.documentElement.scrollWidth > document.documentElement.clientWidth",
  );
  const wide = isWider ? ["it is wider than the screen"] : [];
  const leaves = await page.evaluate(
    "[...document.querySelectorAll('.amount')].filter((one) => one.scrollWidth > one.clientWidth).length",
  );
  const torn = Number(leaves) > 0 ? ["an amount is wider than its place"] : [];
  return [
    ...(await axeProblems(page)),
    ...(await sharedNames(page)),
    ...(await harmDone(page)),
    ...wide,
    ...torn,
  ];
}
