import { CollectionApiError } from "../collection-api/index.ts";
import type { Alarms } from "../database/alarms.ts";
import { isRefusedData } from "../database/postgres-errors.ts";
import { messageOf } from "../kit/errors.ts";
import { withoutCallbackTokens } from "../kit/mask/callback-tokens.ts";
import type { Metrics } from "../kit/metrics.ts";
import { storableText } from "../kit/storable-text.ts";
import type { SettlementStore } from "../store/settlement-store.ts";
import type { Answer } from "./answer.ts";
import type { ConfirmSource } from "./confirm-source.ts";
import { judge } from "./judge.ts";
import type { ClaimedQuestion } from "./question.ts";

export interface SettleAnswerOptions {
  store: SettlementStore;
  alarms: Alarms;
  metrics: Metrics;
}

/**
 * Judges one answer and writes what follows from it. An answer that Postgres refuses is kept as evidence of an answer
 * outside the contract.
 */
export async function settleAnswer(
  options: SettleAnswerOptions,
  question: ClaimedQuestion,
  source: ConfirmSource,
  answer: Answer,
): Promise<void> {
  const { store, alarms, metrics } = options;
  const rules = await source.rulesFor(answer);
  if (rules instanceof CollectionApiError)
    return await settleAnswer(options, question, source, { kind: "fault", error: rules.summary });
  const judgement = judge(question, answer, rules, Math.random());
  try {
    await store.settle(judgement.settlement);
  } catch (error) {
    if (!isRefusedData(error) || answer.kind !== "found") throw error;
    const evidence = storableText(withoutCallbackTokens(JSON.stringify(answer.document)));
    return await settleAnswer(options, question, source, {
      kind: "outside_contract",
      error: `Postgres refuses the answer: ${messageOf(error)}`,
      evidence,
    });
  }
  const subject = { source: source.name, subject: question.invoiceId };
  if (judgement.settlement.verdict !== null)
    metrics.verdicts.inc({ source: source.name, verdict: judgement.settlement.verdict });
  for (const alarm of judgement.alarms) await alarms.raise({ ...alarm, ...subject });
  if (question.hasEvidence && answer.kind === "found")
    await alarms.clear({ name: "provider_answer_outside_contract", ...subject });
}
