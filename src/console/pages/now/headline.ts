import type { Status } from "../api/types.ts";

/** The page's one sentence. What a person is needed for stands below it, so that several are only counted. */
export const headlineOf = ({ sentence, needs }: Pick<Status, "sentence" | "needs">): string =>
  needs.length > 1 ? `A person is needed for ${needs.length} things.` : sentence;
