/** What a job queue's process is started with. */
export interface QueueOptions {
  databaseUrl: string;
  providerUrl: string;
  snsUrl: string;
  /** With all that makes the relay fast; else as the queue's documentation shows it. */
  levers: boolean;
}
