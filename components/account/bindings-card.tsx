"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { ProviderIcon } from "@/components/auth/outside-sign-in-icons";
import { openAuthorizePage, useOutsideNews } from "@/components/auth/outside-sign-in-tabs";
import { Card } from "@/components/form/card";
import { useRunAction } from "@/components/form/use-run-action";
import { useInBrowser } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { later, useLater } from "@/components/ui/later";
import { toast } from "@/components/ui/toast";
import { BINDING_FIELD, type Bindings, type OutsideFlags, type OutsideProvider } from "@/lib/oauth/types";
import { beginBinding, unbindAccount } from "./binding-actions";
import type { BindingStep } from "./bindings-card-dialogs";

const dialogsCode = later(() => import("./bindings-card-dialogs").then(({ BindingDialogs }) => BindingDialogs));

/** The order of A066. */
const ROWS = ["wechat", "github", "telegram", "linuxdo", "oidc"] as const satisfies readonly OutsideProvider[];

type BindingsCardProps = {
  self: Bindings;
  flags: OutsideFlags;
  /** Rows shown before the provider accounts, e.g. the e-mail address. */
  children?: ReactNode;
};

/** The external accounts of the user, bound or not (A066). */
export function BindingsCard({ self, flags, children }: BindingsCardProps) {
  const t = useTranslations("outside");
  const router = useRouter();
  const [step, setStep] = useState<BindingStep | null>(null);
  const BindingDialogs = useLater(dialogsCode, step !== null);
  const [busy, setBusy] = useState<OutsideProvider | null>(null);
  const { pending, run } = useRunAction();
  useOutsideNews((news) => {
    if (news === "bound") router.refresh();
  });
  const nameOf = useProviderName();

  const onBind = (provider: OutsideProvider) => {
    setBusy(provider);
    run(
      () => beginBinding({ provider }),
      ({ state, url }) => {
        if (url) openAuthorizePage(url);
        else setStep({ type: "bind", provider, state });
      },
    );
  };
  const onUnbind = (provider: OutsideProvider) => {
    setBusy(provider);
    run(
      () => unbindAccount({ provider }),
      () => {
        toast.success(t("unbound", { provider: nameOf(provider) }), { duration: 3000 });
        setStep(null);
      },
      () => setStep(null),
    );
  };
  return (
    <Card title={t("bindings")} lead={t("bindingsLead")}>
      {children}
      <ul>
        {ROWS.map((provider) => (
          <BindingRow
            key={provider}
            provider={provider}
            name={nameOf(provider)}
            value={self[BINDING_FIELD[provider]]}
            enabled={Boolean(flags[provider])}
            pending={pending && busy === provider}
            onBind={() => onBind(provider)}
            onUnbind={() => setStep({ type: "unbind", provider })}
          />
        ))}
      </ul>
      {BindingDialogs ? (
        <BindingDialogs
          step={step}
          flags={flags}
          pending={pending}
          onUnbind={onUnbind}
          onClose={() => setStep(null)}
          nameOf={nameOf}
        />
      ) : null}
    </Card>
  );
}

export function useProviderName(): (provider: OutsideProvider) => string {
  const t = useTranslations("outside");
  return (provider) => t(`name.${provider}`);
}

type BindingRowProps = {
  provider: OutsideProvider;
  name: string;
  /** The user's id at the provider; "" = not bound. */
  value: string;
  enabled: boolean;
  pending: boolean;
  onBind: () => void;
  onUnbind: () => void;
};

function BindingRow({ provider, name, value, enabled, pending, onBind, onUnbind }: BindingRowProps) {
  const t = useTranslations("outside");
  const inBrowser = useInBrowser();
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b py-3 first:pt-0 last:border-b-0 last:pb-0">
      <div className="flex min-w-0 items-center gap-3 [&_svg]:size-5 [&_svg]:shrink-0">
        <ProviderIcon provider={provider} />
        <div className="min-w-0">
          <h3 dir="auto" className="font-medium">
            {name}
          </h3>
          <p dir="auto" data-testid={`binding-${provider}`} className="break-all text-muted-foreground text-xs">
            {value === "" ? t("notBound") : value}
          </p>
        </div>
      </div>
      {value === "" ? (
        <Button
          size="md"
          onClick={onBind}
          pending={pending}
          disabled={!enabled || !inBrowser}
          aria-label={enabled ? t("bindNamed", { provider: name }) : t("offNamed", { provider: name })}
        >
          {enabled ? t("bind") : t("off")}
        </Button>
      ) : (
        <Button
          size="md"
          onClick={onUnbind}
          pending={pending}
          disabled={!inBrowser}
          aria-label={t("unbindNamed", { provider: name })}
        >
          {t("unbind")}
        </Button>
      )}
    </li>
  );
}
