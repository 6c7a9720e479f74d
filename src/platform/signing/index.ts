export { Signer, signatureText } from "./signed.ts";
export { issue, readKeys, registerKey } from "./signing-keys.ts";
export { readDocuments, readKeyFile, signatureSchema, type Verdict, verifySigned } from "./verify-signed.ts";
