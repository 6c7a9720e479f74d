import { passHandler } from "./pass-handler.ts";

/** The daily certificate: paid at the provider = stored = published, or the differences by name (G10). */
export const handler = passHandler(({ lists }) => lists.map(({ certify }) => [certify]));
