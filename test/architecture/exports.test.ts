import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const DECLARED =
  /^export (?:declare )?(?:async )?(?:function\*?|const|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;
/** A door, or what the packages export; a type that tsc has to name in a declaration is listed here too. */
const FOR_OTHERS = /\/index\.ts$/;
const NAMED_BY_TSC = ["ResultColumn", "Invocation", "DeepBasis", "DeclaredCommand"];

it("no file exports a name that no other file uses", () => {
  const files = globSync("{src,test,lab,ops,migrations,tools}/**/*.{ts,tsx,mts,mjs}", { cwd: root }).filter(
    (file) => !file.includes("node_modules"),
  );
  const words = new Map(
    files.map((file) => {
      const text = readFileSync(resolve(root, file), "utf8");
      return [file, { text, names: new Set(text.match(/[A-Za-z_$][\w$]*/g)) }];
    }),
  );
  const users = new Map<string, number>();
  for (const { names } of words.values())
    for (const name of names) users.set(name, (users.get(name) ?? 0) + 1);
  const unused = [...words].flatMap(([file, { text }]) =>
    !file.startsWith("src/") || FOR_OTHERS.test(file)
      ? []
      : [...text.matchAll(DECLARED)]
          .map(([, name = ""]) => name)
          .filter((name) => users.get(name) === 1 && !NAMED_BY_TSC.includes(name))
          .map((name) => `${file}: ${name}`),
  );
  expect(unused).toEqual([]);
});
