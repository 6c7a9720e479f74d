import { passHandler } from "./pass-receiver.ts";

/** The daily certificate: paid at the provider = stored = published, or the differences by name (G10). */
export const handler = passHandler((passes) => [passes.certify]);
