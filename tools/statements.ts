import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { type DeclaredStatement, statements } from "../src/platform/database/statement.ts";
import { formatSql } from "./format-sql.ts";

// `docs/statements.sql`, made by `npm run documents`: every statement of the relay as Postgres gets it, though it is
// composed of the fragments of several modules.

const root = resolve(import.meta.dirname, "..");

/** In the order of a payment, then of what stands under it and of what reads it. */
const MODULES = [
  ...["receive", "confirm", "publish", "reconcile", "replay"],
  ...["upstreams", "alarms", "audit", "worker", "signing", "database"],
  ...["operations", "admin-api", "runtime"],
];

/** Starts something when it is loaded, or is for browsers. */
const LEFT_OUT = /(^|\/)(cli\/main\.ts|lambda\/|console\/pages\/)/;

/** Where each was declared: a statement knows neither its name nor its file. */
const places: { file: string; line: number; name: string; statement: DeclaredStatement }[] = [];

const FRAME = /(?:file:\/\/)?([^\s()]+\.ts):(\d+):\d+\)?$/;
const sourceLines = (file: string) => readFileSync(join(root, file), "utf8").split("\n");

statements.push = (statement) => {
  Error.stackTraceLimit = 20;
  const frames = (new Error().stack ?? "").split("\n").flatMap((text) => {
    const [, path = "", line = ""] = FRAME.exec(text) ?? [];
    const file = relative(root, path);
    return file.startsWith("src/") && file !== "src/platform/database/statement.ts"
      ? { file, line: Number(line) }
      : [];
  });
  // A statement that a function makes has the name of what keeps it.
  const named = frames.flatMap(({ file, line }) => {
    const [, name] = /^(?:export )?const (\w+)\b/.exec(sourceLines(file)[line - 1] ?? "") ?? [];
    return name === undefined ? [] : { file, line, name };
  });
  const [place] = named;
  if (place === undefined) throw new Error(`a statement has no name:\n${new Error().stack}`);
  return places.push({ ...place, statement });
};

for (const file of readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).sort())
  if (file.endsWith(".ts") && !LEFT_OUT.test(file)) await import(join(root, "src", file));

const db = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

function rankOf(file: string): number {
  const rank = MODULES.findIndex((module) => file.includes(`/${module}/`));
  if (rank < 0) throw new Error(`the module of ${file} has no place in the order`);
  return rank;
}

const sections = places
  .filter(({ file }) => !file.includes("/sandbox/"))
  .sort((a, b) => rankOf(a.file) - rankOf(b.file) || a.file.localeCompare(b.file, "en") || a.line - b.line)
  .map(({ file, name, statement }) => {
    const texts = [...new Set(statement.texts(db).map(formatSql))];
    return `-- ${name}, ${file}\n${texts.map((text) => `${text};`).join("\n\n")}`;
  });

writeFileSync(
  join(root, "docs/statements.sql"),
  `-- Every statement of the relay, whole, made by \`npm run documents\`.\n\n${sections.join("\n\n")}\n`,
);
