import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import { inSnapshot } from "../database/transactions.ts";
import { type Facts, readFacts, type StatusSettings } from "./status-facts.ts";
import { type Need, needsOf, sentenceOf } from "./status-meaning.ts";

/** The first thing to look at when on call. */
export interface Status extends Facts {
  /** How the relay is doing, in one sentence. */
  sentence: string;
  needsPerson: boolean;
  /** What needs a person, each with what to do. */
  needs: Need[];
}

/** How the relay is doing, read in one snapshot; useful even when nothing has happened yet. */
export async function readStatus(db: Kysely<Tables>, settings: StatusSettings): Promise<Status> {
  const facts = await inSnapshot(db, (snapshot) => readFacts(snapshot, settings));
  const needs = needsOf(facts);
  return { sentence: sentenceOf(facts, needs), needsPerson: needs.length > 0, needs, ...facts };
}
