import { createHash, timingSafeEqual } from "node:crypto";

export type EpayMerchant = { address: string; id: string; key: string };

/** The payment methods (B248): zfb = Alipay, wx = WeChat. */
export const EPAY_METHODS = { zfb: "alipay", wx: "wxpay" } as const;

/** The configured merchant. Null unless PayAddress, EpayId and EpayKey are all set (contract §1.4); online top-up is off then. */
export function epayMerchant(options: { PayAddress: string; EpayId: string; EpayKey: string }): EpayMerchant | null {
  const { PayAddress: address, EpayId: id, EpayKey: key } = options;
  return address && id && key ? { address, id, key } : null;
}

/**
 * The signature of the epay protocol (contract §10.2): MD5 of the non-empty fields sorted by name, without sign and
 * sign_type, followed by the merchant's key. The protocol prescribes MD5.
 */
export function signEpay(fields: Record<string, string>, key: string): string {
  const text = Object.keys(fields)
    .filter((name) => name !== "sign" && name !== "sign_type" && fields[name] !== "")
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join("&");
  return createHash("md5").update(`${text}${key}`).digest("hex");
}

/** Whether the signature is this merchant's; compared in constant time. */
export function isSignedByEpay(fields: Record<string, string>, key: string): boolean {
  const given = Buffer.from((fields.sign ?? "").toLowerCase());
  const expected = Buffer.from(signEpay(fields, key));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export type EpayOrder = {
  tradeNo: string;
  amount: number;
  /** Two decimals. */
  money: string;
  method: keyof typeof EPAY_METHODS;
  notifyUrl: string;
  returnUrl: string;
};

/** The URL the browser posts the order to, and the signed form fields. */
export function epayForm(merchant: EpayMerchant, order: EpayOrder): { url: string; fields: Record<string, string> } {
  const fields: Record<string, string> = {
    pid: merchant.id,
    type: EPAY_METHODS[order.method],
    out_trade_no: order.tradeNo,
    notify_url: order.notifyUrl,
    return_url: order.returnUrl,
    name: `TUC${order.amount}`,
    money: order.money,
    device: "pc",
    sign_type: "MD5",
  };
  return { url: `${merchant.address}/submit.php`, fields: { ...fields, sign: signEpay(fields, merchant.key) } };
}
