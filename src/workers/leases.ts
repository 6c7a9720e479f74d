export const extendLeases = async () => 0; export const releaseExpired = async () => 0;
