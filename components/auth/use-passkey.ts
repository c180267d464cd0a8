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

/** Passkeys of this browser; whatever it refuses is put into words. */
export function usePasskey() {
  const t = useTranslations("security");

  const attempt = async <Response>(work: () => Promise<Response>): Promise<Outcome<Response>> => {
    if (!browserSupportsWebAuthn()) return { ok: false, message: t("passkeyUnsupported") };
    try {
      return { ok: true, response: await work() };
    } catch (error) {
      const name = error instanceof Error ? error.name : "";
      // The browser says NotAllowedError for a reader who turns away and for one who takes too long.
      if (name === "NotAllowedError" || name === "AbortError") return { ok: false, message: t("passkeyCancelled") };
      if (name === "InvalidStateError") return { ok: false, message: t("passkeyOnDevice") };
      return { ok: false, message: t("passkeyFailed") };
    }
  };

  return {
    show: (optionsJSON: PublicKeyCredentialRequestOptionsJSON) => attempt(() => startAuthentication({ optionsJSON })),
    make: (optionsJSON: PublicKeyCredentialCreationOptionsJSON) => attempt(() => startRegistration({ optionsJSON })),
  };
}
