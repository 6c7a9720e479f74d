import type { Question } from "./open-questions.ts";

/** A new question that came into being under a lease of whoever takes it. */
export interface HandedQuestion extends Question {
  leaseToken: string;
  /** Postgres' clock before the commit. */
  askedAt: Date;
}

/** A confirmer in this process: it spares new questions the way through the claim. */
export interface QuestionTaker {
  readonly leaseMs: number;
  /** Keeps room for some of them. @returns which; none when others wait already. */
  reserve(questions: readonly Question[]): readonly Question[];
  /** They are committed, and leased to the taker. The room that was kept for `reserved` of them is free again. */
  take(questions: readonly HandedQuestion[], reserved: number): void;
}
