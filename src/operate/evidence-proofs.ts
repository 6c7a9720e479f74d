import { type RawBuilder, sql } from "kysely";
import type { EvidenceFile } from "../books/evidence.ts";
import type { Database } from "../database/tables.ts";
import { inSnapshot } from "../database/transactions.ts";
import { kindNamed } from "../ledger/kinds.ts";
import { Prover } from "../ledger/proofs.ts";
import { rowsWhere } from "../ledger/read-rows.ts";
import { issueRoots } from "../ledger/signed-roots.ts";
import { isAbout } from "../receive/log/callbacks-about.ts";
import type { Signer } from "../signing/signed.ts";
import { issueByKnownKey } from "../signing/signing-keys.ts";

/** More leaves than a person checks: a payment has about seven. */
const LEAVES_LIMIT = 2_000;

const NOT_YET =
  "it has no leaf yet: new rows get theirs within minutes. Of one much older than the root, ask `ledger verify`";
const CHANGED = "it is not what its leaf says: ask `ledger verify`";

interface Payment {
  invoiceId: string;
  /** Those that have anything about it. */
  sources: readonly string[];
  eventIds: readonly string[];
}

/** What proves that a payment's rows are in the ledger (docs/ledger.md), and the salts of their fields. */
export async function readProofs(
  db: Database,
  payment: Payment,
  signer: Signer | null,
  limit = LEAVES_LIMIT,
) {
  return await inSnapshot(db, async (snapshot) => {
    const prover = new Prover(snapshot);
    const roots = await issueRoots(snapshot, signer, issueByKnownKey);
    const leaves: { index: string; path: string[]; leaf: string }[] = [];
    const salts: { source: string; index: string; salts: Record<string, string> }[] = [];
    const inSources = new Set<string>();
    const notInTree: { source: string; kind: string; key: string; at: string; why: string }[] = [];
    let isWhole = true;
    for (const [name, where] of Object.entries(rowsOf(payment))) {
      const kind = kindNamed(name);
      for await (const row of rowsWhere(snapshot, kind, where)) {
        if (leaves.length + notInTree.length >= limit) {
          isWhole = false;
          break;
        }
        const { source, key, at } = row;
        const proof = await prover.prove(kind, row);
        if (!proof?.matches) {
          notInTree.push({ source, kind: name, key, at, why: proof === null ? NOT_YET : CHANGED });
          continue;
        }
        const { path, leaf } = proof;
        const index = String(proof.index);
        inSources.add(source);
        leaves.push({ index, path: path.map((one) => one.toString("hex")), leaf });
        if (proof.salts !== null) salts.push({ source, index, salts: proof.salts });
      }
    }
    return {
      proofs: {
        invoiceId: payment.invoiceId,
        roots: roots.filter(({ source }) => inSources.has(source)),
        leaves,
        notInTree,
        isWhole,
        limit: String(limit),
      },
      salts,
    };
  });
}

function rowsOf({ invoiceId, sources, eventIds }: Payment): Record<string, RawBuilder<unknown>> {
  const ofSource = sql`known.source = any(${sources}::text[])`;
  const ofInvoice = sql`${ofSource} and known.invoice_id = ${invoiceId}`;
  return {
    callback: isAbout(invoiceId),
    answer: sql`${ofSource} and known.id = ${invoiceId}`,
    earlier_answer: ofInvoice,
    verdict: sql`${ofInvoice} and ${kindNamed("verdict").rows}`,
    event: ofInvoice,
    acceptance: sql`${ofSource} and known.event_id = any(${eventIds}::uuid[])`,
  };
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

/** Read once, and for those who may not see what is personal without the salts. */
export function proofFiles(db: Database, payment: Payment, signer: Signer | null): EvidenceFile[] {
  let reading: ReturnType<typeof readProofs> | null = null;
  const read = () => {
    reading ??= readProofs(db, payment, signer);
    return reading;
  };
  return [
    {
      path: "ledger/proofs.json",
      what: "proof that all of this is in the ledger, which is append-only: for each part its leaf and the way to the root",
      personal: false,
      read: async () => json((await read()).proofs),
    },
    {
      path: "ledger/salts.json",
      what: "the salts by which personal fields can be checked against their digests in the leaves",
      personal: true,
      read: async () => json((await read()).salts),
    },
  ];
}
