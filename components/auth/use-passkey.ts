"use client";

import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { useTranslations } from "next-intl";

type Outcome<Response> = { ok: true; response: Response } | { ok: false; message: string };

type Ceremonies = typeof import("@simplewebauthn/browser");

/** Passkey calls of this browser, with its errors translated to messages. */
export function usePasskey() {
  const t = useTranslations("security.passkey");

  const attempt = async <Response>(work: (ceremonies: Ceremonies) => Promise<Response>): Promise<Outcome<Response>> => {
    try {
      // Loaded when needed: most people sign in by password.
      const ceremonies = await import("@simplewebauthn/browser");
      if (!ceremonies.browserSupportsWebAuthn()) return { ok: false, message: t("unsupported") };
      return { ok: true, response: await work(ceremonies) };
    } catch (error) {
      const name = error instanceof Error ? error.name : "";
      // Browsers report NotAllowedError both for a cancelled prompt and for a timeout.
      if (name === "NotAllowedError" || name === "AbortError") return { ok: false, message: t("cancelled") };
      if (name === "InvalidStateError") return { ok: false, message: t("onDevice") };
      return { ok: false, message: t("failed") };
    }
  };

  return {
    show: (optionsJSON: PublicKeyCredentialRequestOptionsJSON) =>
      attempt(({ startAuthentication }) => startAuthentication({ optionsJSON })),
    make: (optionsJSON: PublicKeyCredentialCreationOptionsJSON) =>
      attempt(({ startRegistration }) => startRegistration({ optionsJSON })),
  };
}
