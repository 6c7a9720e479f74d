import type { Request, Response } from "express";
import { type Mask, withTextsMasked } from "../kit/mask.ts";
import type { OnProgress } from "../operate/operations/operation.ts";

const NDJSON = "application/x-ndjson";

/** How often progress is sent, in ms; a new step is sent at once. */
const EVERY_MS = 200;

export const wantsProgress = (request: Request): boolean =>
  (request.headers.accept ?? "").split(",").some((type) => type.split(";")[0]?.trim() === NDJSON);

/** Lines of JSON: the progress, and finally the result. The work continues even if nobody reads them. */
export class ProgressStream {
  readonly #response: Response;
  readonly #mask: Mask;
  /** By source: several are read side by side. */
  readonly #steps = new Map<string, string>();
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(response: Response, mask: Mask) {
    this.#response = response;
    this.#mask = mask;
    response.writeHead(200, { "content-type": NDJSON, "x-accel-buffering": "no" });
    response.flushHeaders();
  }

  readonly reached: OnProgress = (progress) => {
    const now = performance.now();
    const isNewStep = this.#steps.get(progress.source) !== progress.step;
    if (!isNewStep && now - this.#saidAt < EVERY_MS) return;
    this.#steps.set(progress.source, progress.step);
    this.#saidAt = now;
    this.#write({ progress });
  };

  end(last: { result: unknown } | { error: string }): void {
    this.#write(last);
    this.#response.end();
  }

  #write(line: object): void {
    if (this.#response.destroyed) return;
    this.#response.write(`${JSON.stringify(withTextsMasked(line, this.#mask))}\n`);
  }
}
