"use client";

import { useTranslations } from "next-intl";
import { CopyButton } from "@/components/form/copy-button";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { toast } from "@/components/ui/toast";
import type { OptionCard } from "@/lib/option/cards";
import { saveOptions } from "./actions";
import { ClearLogs } from "./clear-logs";
import { ResetModelRatio } from "./reset-model-ratio";
import { useSetting } from "./setting-context";
import { TestMail } from "./test-mail";

const SAVED_MS = 1500;

/** Controls of a card beside its options. */
export function CardExtra({ card }: { card: OptionCard }) {
  switch (card) {
    case "server":
      return <ConfirmAddress />;
    case "log":
      return <ClearLogs />;
    case "smtp":
      return <TestMail />;
    case "pricing":
      return (
        <>
          <PriceSyncLink />
          <ResetModelRatio />
        </>
      );
    case "github":
    case "linuxdo":
    case "oidc":
      return <CallbackAddress provider={card} />;
    default:
      return null;
  }
}

/** Offers the address that this page was opened by, until the site has one. */
function ConfirmAddress() {
  const t = useTranslations("setting");
  const { savedAddress, publicAddress } = useSetting();
  const { pending, run } = useRunAction();
  if (savedAddress !== "") return null;
  const onConfirm = () =>
    run(
      () => saveOptions({ changes: [{ key: "ServerAddress", value: publicAddress }] }),
      ([result]) => {
        if (result?.message) toast.error(result.message);
        else toast.success(t("saved"), { duration: SAVED_MS });
      },
    );
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t px-5 py-3">
      <p className="min-w-0 text-muted-foreground text-xs">{t("confirmAddressHint")}</p>
      <Button onClick={onConfirm} disabled={pending} className="h-auto min-h-8 whitespace-normal break-all">
        {t("confirmAddress", { address: publicAddress })}
      </Button>
    </div>
  );
}

function PriceSyncLink() {
  const t = useTranslations("setting");
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t px-5 py-3">
      <p className="text-muted-foreground text-xs">{t("priceSyncHint")}</p>
      <span className="flex flex-wrap gap-2">
        <Button asChild>
          <Link href="/setting/prices/list">{t("priceList")}</Link>
        </Button>
        <Button asChild>
          <Link href="/setting/prices">{t("priceSync")}</Link>
        </Button>
        <Button asChild>
          <Link href="/setting/prices/history">{t("priceHistory")}</Link>
        </Button>
      </span>
    </div>
  );
}

/** The callback URL to register with the provider. */
function CallbackAddress({ provider }: { provider: "github" | "linuxdo" | "oidc" }) {
  const t = useTranslations("setting");
  const { publicAddress } = useSetting();
  const address = `${publicAddress}/oauth/${provider}`;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t px-5 py-3 text-xs">
      <span className="text-muted-foreground">{t("callbackAddress")}</span>
      <code dir="auto" className="min-w-0 break-all rounded bg-muted px-1.5 py-0.5 font-mono">
        {address}
      </code>
      <CopyButton variant="ghost" size="icon" text={address} aria-label={t("copyCallback")} />
    </div>
  );
}
