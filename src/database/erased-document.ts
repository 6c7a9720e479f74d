/** What stands where the provider's document of an erased invoice stood; ids and amounts have columns of their own. */
export const erasedDocument = (invoiceId: string): string => JSON.stringify({ id: invoiceId, erased: true });
