"use client";

import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { useTranslations } from "next-intl";

type Outcome<Response> = { ok: true; response: Response } | { ok: false; message: string };

/** Passkey calls of this browser, with its errors translated to messages. */
export function usePasskey() {
  const t = useTranslations("security.passkey");

  const attempt = async <Response>(work: () => Promise<Response>): Promise<Outcome<Response>> => {
    if (!browserSupportsWebAuthn()) return { ok: false, message: t("unsupported") };
    try {
      return { ok: true, response: await work() };
    } catch (error) {
      const name = error instanceof Error ? error.name : "";
      // Browsers report NotAllowedError both for a cancelled prompt and for a timeout.
      if (name === "NotAllowedError" || name === "AbortError") return { ok: false, message: t("cancelled") };
      if (name === "InvalidStateError") return { ok: false, message: t("onDevice") };
      return { ok: false, message: t("failed") };
    }
  };

  return {
    show: (optionsJSON: PublicKeyCredentialRequestOptionsJSON) => attempt(() => startAuthentication({ optionsJSON })),
    make: (optionsJSON: PublicKeyCredentialCreationOptionsJSON) => attempt(() => startRegistration({ optionsJSON })),
  };
}
