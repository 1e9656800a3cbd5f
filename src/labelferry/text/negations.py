"""Negations per language. They are never stop words: "not good" and "good" are different opinions."""

from __future__ import annotations

NEGATIONS: dict[str, str] = {
    "arabic": "لا لم لن ليس ليست غير دون عدم ولا ولم ما",
    "bulgarian": "не ни нито никога никой нищо без",
    "catalan": "no ni mai cap res sense",
    "czech": "ne nic nikdy nikdo není nejsou nebyl nebyla nebylo nemá nemají ani bez",
    "danish": "ikke ingen intet aldrig uden hverken",
    "dutch": "niet geen niets nooit niemand zonder noch",
    "english": "not no nor never none nobody noone nothing neither nowhere cannot cant couldnt hasnt without "
    "don doesn didn isn wasn aren weren hasn haven hadn won wouldn couldn shouldn mustn needn ain",
    "finnish": "ei en et emme ette eivät eikä älä ilman koskaan",
    "french": "ne pas non ni jamais rien aucun aucune aucuns sans personne",
    "german": "nicht nichts nie niemals niemand kein keine keinem keinen keiner keines ohne weder noch",
    "greek": "δεν δε μη μην όχι χωρίς ούτε ποτέ",
    "gujarati": "નહીં નથી ના નહી નહિ",
    "hebrew": "לא אין בלי אף לאו מבלי",
    "hindi": "नहीं न ना मत बिना",
    "hungarian": "nem ne sem se soha nincs nincsenek nélkül",
    "indonesian": "tidak tak bukan belum jangan tanpa tiada enggak bukanlah bukannya tidaklah janganlah",
    "italian": "non no né mai niente nulla nessun nessuno nessuna senza",
    "korean": "안 못 아니 않다 아니다 없다 없이 아니라",
    "malaysian": "tidak tak bukan belum jangan tanpa tiada",
    "norwegian": "ikke ingen intet ingenting aldri uten verken ikkje",
    "persian": "نه نیست نمی بدون هیچ هرگز نیستند نبود ندارد",
    "polish": "nie nic nigdy nikt żaden żadna żadne bez ani",
    "portuguese": "não nem nunca nada nenhum nenhuma ninguém sem jamais",
    "romanian": "nu nici niciodată nimic nimeni niciun nicio fără",
    "russian": "не ни нет никогда ничего никто нельзя без ничто",
    "slovak": "nie ne nič nikdy nikto bez ani",
    "spanish": "no ni nunca nada ningún ninguna ninguno ningunos ningunas nadie sin jamás tampoco",
    "swedish": "inte icke ej ingen inget inga aldrig ingenting utan varken",
    "turkish": "değil hiç yok asla ne",
    "ukrainian": "не ні ані немає ніколи нічого ніхто без",
    "vietnamese": "không chẳng chưa đừng chả",
}


def negations(language: str) -> frozenset[str]:
    """The negations of the language, an English name."""
    return frozenset(NEGATIONS.get(language, "").split())
