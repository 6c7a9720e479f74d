import { Command } from "commander";
import { RelayError, usageError } from "../../kit/errors.ts";
import { countText, numberOf } from "../../kit/text.ts";
import { findingText } from "../../ledger/finding-text.ts";
import { rootDocument } from "../../ledger/signed-roots.ts";
import { readKeyFile, verifySigned } from "../../signing/verify-signed.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { table } from "../table.ts";
import { readBytes, readSigned } from "./certificate-verify.ts";

export function ledgerCommand(context: CommandContext): Command {
  const root = operationCommand(context, "readLedger", {
    name: "root",
    description: "size and root of each tree; keep a copy where the database's superuser cannot reach it",
    json: ({ roots }) => roots,
    text: ({ roots }) =>
      roots.length === 0
        ? "The ledger has no leaf yet: serve takes in what is new each minute."
        : `${table(roots, { source: "source", leaves: ({ size }) => Number(size), root: "root", "last leaf": "at" })}
The tree * is of what belongs to no source: the acts of operators. Keep a copy elsewhere: \`ledger root --json\`
prints one that \`ledger verify --root\` reads.`,
  });
  const verify = operationCommand(context, "verifyLedger", {
    name: "verify",
    without: ["roots"],
    extend: (command) =>
      command
        .option("--root <file>", "roots that were kept elsewhere, as `ledger root --json` prints them")
        .option("--keys <file>", "the keys that must have signed them: /.well-known/invoice-relay-keys.json"),
    async input({ root, keys, ...given }) {
      if (root !== undefined) return { ...given, roots: await readRootsIn(String(root), keys) };
      if (keys !== undefined) throw usageError("--keys is for the signature of --root: give both.");
      return given;
    },
    judge: ({ findingsInAll }) => findingsInAll > 0 && context.fault(),
    text: renderVerified,
  });
  return new Command("ledger")
    .description("the tables against the ledger, and its roots: verify, root")
    .addCommand(verify)
    .addCommand(root);
}

async function readRootsIn(file: string, keyFile: unknown): Promise<unknown[]> {
  const keys =
    keyFile === undefined ? null : readKeyFile((await readBytes(String(keyFile))).toString("utf8"));
  const refuse = (why: string) =>
    usageError(
      `${file} holds no root: ${why} A file of roots is what \`invoice-relay ledger root --json\` prints, or LEDGER_TOPIC_ARN got.`,
    );
  return (await readSigned(file, refuse)).map((one) => {
    const read = rootDocument.safeParse(one);
    if (!read.success) {
      const [issue] = read.error.issues;
      throw refuse(`${issue?.path.join(".") || "it"} ${issue?.message ?? ""}.`);
    }
    const { state, says } = verifySigned(one, { kinds: ["root"], keys });
    // What `ledger root` prints bears none.
    if (state === "broken" || (state === "unsigned" && keys !== null))
      throw new RelayError(`${file}: ${says}`);
    return read.data;
  });
}

function renderVerified(verified: ResultOf<"verifyLedger">, given: Record<string, unknown>): string {
  const {
    proves,
    withoutRoot,
    uncovered,
    leaves,
    rows,
    replaced,
    retired,
    pending,
    findings,
    findingsInAll,
  } = verified;
  const range = given.from === undefined && given.to === undefined ? "" : " of that time";
  return [
    proves === "consistent"
      ? "Can prove: the tables are consistent with the ledger in the same database. Whoever is superuser can " +
        "rewrite both; with --root and a root that was kept elsewhere it proves that nothing changed since."
      : "Can prove: what the given roots stand for is unchanged since they were made.",
    ...(withoutRoot.length > 0
      ? [
          `No root was given of ${withoutRoot.join(", ")}: of these it proves no more than that they are consistent.`,
        ]
      : []),
    `Not covered: ${Object.entries(uncovered)
      .map(([table, columns]) => `${table}: ${columns.join(", ")}`)
      .join("; ")}.`,
    "",
    `${countText(leaves)} leaves; ${countText(rows)} rows${range} compared, ${countText(replaced)} since replaced by newer ones.`,
    ...(retired.count > 0
      ? [
          `${countText(retired.count)} leaves are of rows retired by retention on ${retired.lastAt} or before.`,
        ]
      : []),
    ...(pending > 0 ? [`${countText(pending)} rows have no leaf yet: serve takes them in each minute.`] : []),
    ...(findingsInAll === 0
      ? ["WHOLE: no row was changed, added or removed."]
      : [
          `BROKEN: ${numberOf(findingsInAll, "finding")}:`,
          ...findings.map((finding) => `  ${finding.source}: ${findingText(finding)}`),
          ...(findingsInAll > findings.length
            ? [`  and ${countText(findingsInAll - findings.length)} more`]
            : []),
        ]),
  ].join("\n");
}
