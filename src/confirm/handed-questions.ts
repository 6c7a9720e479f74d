import type { ClaimedQuestion } from "./question.ts";

/** A question that was claimed in the commit that opened it: nothing is known of it but itself. */
export type FreshQuestion = Pick<ClaimedQuestion, "invoiceId" | "source" | "leaseToken" | "askedAt">;

/** Who asks what is handed over. */
export interface Asker {
  /** How many more questions it takes on, those that are reserved left out; none while others are due. */
  readonly room: number;
  ask(questions: readonly FreshQuestion[]): void;
}

export interface HandedQuestionsOptions {
  leaseMs: number;
  /** Gives leases back, sooner or later. */
  release: (questions: readonly FreshQuestion[]) => void;
}

/**
 * New questions on their way from the recorder to the confirmer of one process. They are claimed from their first moment
 * on, which spares a payment a statement and a round trip; after a crash they are taken up like everything whose lease
 * ran out (G7).
 */
export class HandedQuestions {
  readonly leaseMs: number;
  readonly #options: HandedQuestionsOptions;
  #asker: Asker | null = null;
  #reserved = 0;

  constructor(options: HandedQuestionsOptions) {
    this.leaseMs = options.leaseMs;
    this.#options = options;
  }

  /** While somebody asks, new questions go there; otherwise they are left due. */
  askedBy(asker: Asker | null): void {
    this.#asker = asker;
  }

  /** How many may come that have not come yet. */
  get reserved(): number {
    return this.#reserved;
  }

  /** Keeps room for some of them. @returns which. */
  reserve<Question>(questions: readonly Question[]): readonly Question[] {
    const reserved = questions.slice(0, Math.max(0, this.#asker?.room ?? 0));
    this.#reserved += reserved.length;
    return reserved;
  }

  /** They are committed; the room that was kept for `reserved` of them is free again. */
  take(questions: readonly FreshQuestion[], reserved: number): void {
    this.#reserved -= reserved;
    if (this.#asker === null) this.#options.release(questions);
    else this.#asker.ask(questions);
  }
}
