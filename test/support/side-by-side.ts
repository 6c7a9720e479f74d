import { aroundEach } from "vitest";
import { ownTest } from "./own-test.ts";

// Loaded before the tests: each knows itself, also among those that run beside it.
aroundEach((runTest, context) => ownTest.run(context, runTest));
