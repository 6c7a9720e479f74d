const HOUR = new Date().toISOString().slice(0, 13);

/** The answer to Get Invoice for a paid invoice, as the interface shows it (part A, Invoice). */
export const invoiceAnswer = (id: string): string =>
  `{"status":200,"message":"Invoice retrieved","data":{"id":"${id}","title":"School fees, second ` +
  `term","collectionName":"Term 2","payerName":"Ada ` +
  `Obi","payerEmail":"ada.obi@example.com","payerPhoneNumber":"+2348012345678","billerName":"Hill ` +
  `School","billerAddress":"1 Hill Road, ` +
  `Lagos","billerEmail":"bursar@hill-school.example.com","amount":1500.50,"serviceCharge":10,"vat":0.75,"totalAmount":1511.25,"settleableAmount":1500.50,"status":"Paid","serviceFeePayer":"Payer","settlementFrequency":"Instant","type":"Live","paymentUrl":"https://pay.example.com/${id}","dateCreated":"${HOUR}:00:00Z","dateModified":"${HOUR}:00:00Z","billerMetaData":{"class":"4b","pupil":"10023"},"paymentDate":"${HOUR}:00:00Z","paymentMethod":"Card","invoiceBeneficiaries":null,"callBackUrl":"https://relay.example.com/callbacks/0123456789012345678901/order-10023"}}`;

/** The callback that the provider sends for it (interface, part B, Callback). */
export const callbackBody = (notificationId: string, invoiceId: string): string =>
  `{"id":"${notificationId}","event":"payment.successful","createdAt":"${HOUR}:00:01Z","data":{"id":"${invoiceId}","collectionId":"7b0f6a4e-2f5b-4d0e-9c53-0d7c2f6f1c11","title":"School fees, second term","payerName":"Ada Obi","payerEmail":"ada.obi@example.com","amount":1500.50,"serviceCharge":10,"vat":0.75,"totalAmount":1511.25,"type":"Live","status":"Paid","paymentDate":"${HOUR}:00:00Z","paymentMethod":"Card","billerMetaData":{"class":"4b","pupil":"10023"},"callBackUrl":"https://relay.example.com/callbacks/0123456789012345678901/order-10023"}}`;

/** The token in the callback URL of every bench. */
export const TOKEN = "bench-token-0123456789abcdef";

export const CALLBACK_PATH = `/callbacks/${TOKEN}/order-10023`;

export const TOPIC_ARN = "arn:aws:sns:us-east-1:000000000000:invoice-events";
