import fc from "fast-check";

/**
 * Loaded before the tests: what they make up is the same in every run, so that none fails by chance, and one that
 * fails does so again. `PROPERTY_SEED=$RANDOM npm test` looks for what this seed does not find.
 */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_126) });
