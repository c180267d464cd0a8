"use client";

import { Languages, Monitor, Moon, Sun } from "lucide-react";
import { useLocale, useTranslations } from "next-intl";
import { useTheme } from "next-themes";
import { useRunAction } from "@/components/form/use-run-action";
import { useInBrowser } from "@/components/format/time";
import { Menu } from "@/components/overlay/menu";
import { Button } from "@/components/ui/button";
import { DropdownMenuRadioGroup, DropdownMenuRadioItem } from "@/components/ui/dropdown-menu";
import { setLocale } from "./actions";
import { useChooseTheme } from "./theme";

const LANGUAGES = [
  { locale: "zh", name: "中文" },
  { locale: "en", name: "English" },
] as const;

const THEMES = [
  { theme: "light", icon: Sun },
  { theme: "dark", icon: Moon },
  { theme: "system", icon: Monitor },
] as const;

export function LanguageMenu() {
  const t = useTranslations("shell");
  const locale = useLocale();
  const { pending, run } = useRunAction();
  const trigger = (
    <Button variant="ghost" size="iconMd" aria-label={t("language")} disabled={pending}>
      <Languages />
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      <DropdownMenuRadioGroup value={locale} onValueChange={(next) => run(() => setLocale(next))}>
        {LANGUAGES.map((language) => (
          <DropdownMenuRadioItem key={language.locale} value={language.locale} lang={language.locale}>
            {language.name}
          </DropdownMenuRadioItem>
        ))}
      </DropdownMenuRadioGroup>
    </Menu>
  );
}

export function ThemeMenu() {
  const t = useTranslations("shell");
  const { theme } = useTheme();
  const chooseTheme = useChooseTheme();
  const inBrowser = useInBrowser();
  const trigger = (
    <Button variant="ghost" size="iconMd" aria-label={t("theme")}>
      <Sun className="dark:hidden" />
      <Moon className="hidden dark:block" />
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      <DropdownMenuRadioGroup value={inBrowser ? (theme ?? "system") : "system"} onValueChange={chooseTheme}>
        {THEMES.map((choice) => (
          <DropdownMenuRadioItem key={choice.theme} value={choice.theme}>
            <choice.icon aria-hidden />
            {t(choice.theme)}
          </DropdownMenuRadioItem>
        ))}
      </DropdownMenuRadioGroup>
    </Menu>
  );
}
