/** Why a secure connection was not made. */
export type TlsReason =
  | "selfSigned"
  | "unknownAuthority"
  | "expired"
  | "notYetValid"
  | "wrongHost"
  | "revoked"
  | "protocol";

const BY_CODE: Record<string, TlsReason> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "selfSigned",
  SELF_SIGNED_CERT_IN_CHAIN: "unknownAuthority",
  UNABLE_TO_GET_ISSUER_CERT: "unknownAuthority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "unknownAuthority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "unknownAuthority",
  CERT_UNTRUSTED: "unknownAuthority",
  INVALID_CA: "unknownAuthority",
  CERT_HAS_EXPIRED: "expired",
  CERT_NOT_YET_VALID: "notYetValid",
  CERT_REVOKED: "revoked",
  HOSTNAME_MISMATCH: "wrongHost",
  ERR_TLS_CERT_ALTNAME_INVALID: "wrongHost",
  EPROTO: "protocol",
};

/** For the log and for what is stored in English; the console has these in both languages. */
const WORDS: Record<TlsReason, string> = {
  selfSigned: "its certificate is self-signed; give it to Weir by NODE_EXTRA_CA_CERTS",
  unknownAuthority: "the authority of its certificate is not known here; give it to Weir by NODE_EXTRA_CA_CERTS",
  expired: "its certificate has expired",
  notYetValid: "its certificate is not valid yet; look at the clocks",
  wrongHost: "its certificate is for another host",
  revoked: "its certificate was revoked",
  protocol: "it speaks no TLS, or none that is known here",
};

/** Undefined = it failed for another reason. */
export function tlsReasonOf(error: unknown): TlsReason | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const code = "code" in error ? String(error.code) : "";
  const reason = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : /^ERR_(SSL|TLS)_/.test(code) ? "protocol" : undefined;
  return reason ?? ("cause" in error ? tlsReasonOf(error.cause) : undefined);
}

export function tlsWords(reason: TlsReason): string {
  return WORDS[reason];
}
