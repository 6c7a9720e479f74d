import { messageOf } from "../../kit/errors.ts";
import { quietText } from "../../kit/mask/quiet-text.ts";
import { storableText } from "../../kit/storable-text.ts";

/** How much of somebody else's words is kept, in characters. */
const MOST = 500;

/** The name of an error of the SDK: the code that SNS gave. */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "Error");

/** Somebody else's words as they may be stored and shown. */
export const told = (words: string): string => storableText(quietText(words)).slice(0, MOST);

/** An error of the SDK, for a person. */
export const toldBy = (error: unknown): string => told(`${nameOf(error)}: ${messageOf(error)}`);
