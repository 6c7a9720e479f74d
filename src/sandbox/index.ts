export { freePort, startEmbeddedPostgres } from "./postgres/start-embedded-postgres.ts";
export { readSeed } from "./provider/seed.ts";
export { startCollectionService } from "./provider/start-collection-service.ts";
export { startLocalSns } from "./sns/start-local-sns.ts";
