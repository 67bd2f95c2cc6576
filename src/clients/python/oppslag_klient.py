"""Norske foretak fra Bedriftsoppslag, med standardbiblioteket alene / with the standard library alone.

    klient = Klient(url, nokkel)
    klient.bedrift("901012121", felt=["navn", "roller"])
    for linje in klient.mange(["901012121", "901034346"]): ...
    for treff in klient.treff("tindevåg"): ...

Every call raises OppslagProblem when the service answers with a problem. A question that may be answered later (429, 502,
503, 504, no answer) is asked four times, as late as Retry-After says. Answers are kept with their tags, 500 of them.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from email.utils import parsedate_to_datetime
from typing import Any

AT_ONCE_MOST = 500
LIST_MOST = 100_000
LISTS = "/api/bestillinger"
LOOK_EVERY_S = 5.0
ATTEMPTS = 4
CUT_OFF_MOST = 3
KEPT_MOST = 500
RETRIED = {429, 502, 503, 504}
WAIT_MOST_S = 120.0


class OppslagProblem(Exception):
    """A problem of the service (RFC 9457). `kode` is what a program decides by."""

    def __init__(self, body: dict[str, Any], retry_after: float | None = None):
        super().__init__(f"{body['status']} {body['kode']}: {body['detail']}")
        self.kode: str = body["kode"]
        self.status: int = body["status"]
        self.foresporsel_id: str = body["foresporselId"]
        self.retry_after = retry_after
        self.body = body


class Utilgjengelig(Exception):
    """A section could not be read just now; what is in it is not known."""

    def __init__(self, section: dict[str, Any]):
        super().__init__("the register could not be read just now")
        self.section = section


class Klient:
    def __init__(self, url: str, nokkel: str, sprak: str = "nb", timeout: float = 150.0, vent=time.sleep):
        self._base = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {nokkel}", "Accept-Language": sprak}
        self._timeout = timeout
        self._wait = vent
        self._kept: OrderedDict[str, tuple[str, Any]] = OrderedDict()

    def bedrift(self, orgnr: str, felt: Iterable[str] | None = None, fersk: bool = False) -> dict[str, Any]:
        return self._get(_company(orgnr), felt=_joined(felt), fersk="true" if fersk else None)

    def sok(self, q: str, **filter: Any) -> dict[str, Any]:
        return self._get("/api/bedrift/sok", q=q, **filter)

    def treff(self, q: str, **filter: Any) -> Iterator[dict[str, Any]]:
        """Every hit, page by page as it is asked for."""
        for page in self._pages("/api/bedrift/sok", q=q, size=100, **filter):
            yield from page["treff"]

    def finn(self, **ledetraader: str) -> dict[str, Any]:
        return self._get("/api/bedrift/finn", **ledetraader)

    def aksjonaerer(self, orgnr: str, aar: int | None = None) -> Iterator[dict[str, Any]]:
        """Every holder of a year, largest first."""
        for page in self._pages(f"{_company(orgnr)}/aksjonaerer", aar=aar, size=500):
            yield from page["aksjonaerer"]

    def underenheter(self, orgnr: str) -> Iterator[dict[str, Any]]:
        """Every sub-unit, by number. Raises Utilgjengelig when the register could not be read: none is another answer."""
        for page in self._pages(f"{_company(orgnr)}/underenheter", size=500):
            yield from (_section(page["underenheter"]) or {}).get("alle") or []

    def roller_i_andre_foretak(self, orgnr: str) -> Iterator[dict[str, Any]]:
        """Every company it has a role in, by number. Raises as `underenheter` does."""
        for page in self._pages(f"{_company(orgnr)}/rollerIAndreForetak", size=500):
            yield from (_section(page["rollerIAndreForetak"]) or {}).get("alle") or []

    def konsern(self, orgnr: str) -> dict[str, Any] | None:
        """The whole group it is in, or None when it is in none. Raises as `underenheter` does."""
        return _section(self._get(f"{_company(orgnr)}/konsern")["konsern"])

    def eierskap(self, orgnr: str, **query: Any) -> dict[str, Any]:
        return self._get(f"{_company(orgnr)}/eierskap", **query)

    def nokkel(self) -> dict[str, Any]:
        return self._get("/api/bedrift/status")

    def overvak(self, orgnr: str, **onske: Any) -> dict[str, Any]:
        """Watches a company from now on; the same again changes the wish (`navn`, `typer`, `epost`)."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        with self._send(_watched(orgnr), headers, json.dumps(onske).encode(), method="PUT") as answer:
            return json.loads(answer.read())

    def slutt_a_overvake(self, orgnr: str) -> None:
        with self._send(_watched(orgnr), {}, method="DELETE"):
            pass

    def overvakinger(self) -> Iterator[dict[str, Any]]:
        """Every company that is watched, by number."""
        for page in self._pages("/api/overvaking", size=1000):
            yield from page["overvakinger"]

    def endringer(
        self,
        etter: str | None = None,
        orgnr: str | None = None,
        type: Iterable[str] | None = None,
        vent: int = 25,
    ) -> Iterator[dict[str, Any]]:
        """Every change in what is watched, the oldest first, and then each as it comes.

        Keep the `peker` of the last you are done with, and go on from it another time. With `vent=0` it ends with what there is.
        """
        type = _joined(type)
        while True:
            page, again_after = self._get_page("/api/endringer", etter=etter, orgnr=orgnr, type=type, vent=vent or None)
            yield from page["endringer"]
            etter = page["neste"]
            if vent == 0 and not page["flere"]:
                return
            if again_after:  # As many wait as may.
                self._wait(min(WAIT_MOST_S, again_after))

    def mange(self, orgnrs: Iterable[str], felt: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        """A line for each, in the order given, each once: `foretak`, or `feil` with the problem's members.

        More than 500 are handed in as lists, which are taken back when they are read, or when nobody reads on.
        """
        left = list(dict.fromkeys("".join(each.split()) for each in orgnrs))
        felt = None if felt is None else list(felt)
        query = _query(felt=_joined(felt))
        if len(left) > AT_ONCE_MOST:
            for start in range(0, len(left), LIST_MOST):
                yield from self._handed_in(left[start : start + LIST_MOST], felt)
            return
        while left:
            times = 0
            asked, left = left[:AT_ONCE_MOST], left[AT_ONCE_MOST:]
            while asked:
                count, is_whole = 0, False
                for line in self._lines(asked, query):
                    if "oppsummering" in line:
                        is_whole = True
                    else:
                        count += 1
                        yield line
                if is_whole:
                    break
                times += 1
                if count == 0 and times >= CUT_OFF_MOST:
                    raise ConnectionError("the answer was cut off, again and again")
                asked = asked[count:]

    def bestill(self, orgnrs: Iterable[str], felt: Iterable[str] | None = None, navn: str | None = None) -> dict[str, Any]:
        """Hands a list of up to 100,000 in. The same list under the same name is the same order."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Idempotency-Key": navn or str(uuid.uuid4()),
        }
        body = json.dumps(list(orgnrs)).encode()
        with self._send(f"/api/bedrift/bestillinger{_query(felt=_joined(felt))}", headers, body) as answer:
            return json.loads(answer.read())

    def bestilling(self, id: str) -> dict[str, Any]:
        """How far it has come."""
        return self._get(f"{LISTS}/{urllib.parse.quote(id, safe='')}")

    def avbryt(self, id: str) -> None:
        """Taken back: nothing is left of it."""
        with self._send(f"{LISTS}/{urllib.parse.quote(id, safe='')}", {}, method="DELETE"):
            pass

    def resultat(self, id: str, fra: int = 1) -> Iterator[dict[str, Any]]:
        """What a list that is done gave, from this line on; where a download was cut off it is gone on with."""
        fruitless = 0
        while fruitless < CUT_OFF_MOST:
            start = fra
            path = f"{LISTS}/{urllib.parse.quote(id, safe='')}/resultat{_query(fra=fra)}"
            for line in self._read_lines(self._send(path, {"Accept": "application/x-ndjson"})):
                if "oppsummering" in line:
                    return
                fra = line["linje"] + 1
                yield line
            fruitless = fruitless + 1 if fra == start else 0
        raise ConnectionError("the answer was cut off, again and again")

    def _handed_in(self, orgnrs: list[str], felt: list[str] | None) -> Iterator[dict[str, Any]]:
        stand = self.bestill(orgnrs, felt)
        try:
            while stand["fremdrift"] != "ferdig":
                self._wait(LOOK_EVERY_S)
                stand = self.bestilling(stand["id"])
            yield from self.resultat(stand["id"])
        finally:
            try:
                self.avbryt(stand["id"])
            except (OppslagProblem, OSError):
                pass  # It is gone in seven days.

    def _lines(self, orgnrs: list[str], query: str) -> Iterator[dict[str, Any]]:
        headers = {"Content-Type": "application/json", "Accept": "application/x-ndjson"}
        yield from self._read_lines(
            self._send(f"/api/bedrift/oppslag{query}", headers, json.dumps(orgnrs).encode())
        )

    @staticmethod
    def _read_lines(response: Any) -> Iterator[dict[str, Any]]:
        with response as answer:
            try:
                for line in answer:
                    if line.endswith(b"\n"):
                        yield json.loads(line)
            except OSError:
                return  # The connection broke: what came is good, and its end is missing.

    def _pages(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        etter = None
        while True:
            page = self._get(path, etter=etter, **query)
            yield page
            etter = page["neste"]
            if etter is None:
                return

    def _get(self, path: str, **query: Any) -> Any:
        return self._get_page(path, **query)[0]

    def _get_page(self, path: str, **query: Any) -> tuple[Any, float | None]:
        """With how long it is to be before the next is asked for, where the service says so."""
        address = path + _query(**query)
        kept = self._kept.get(address)
        headers = {"Accept": "application/json"}
        if kept is not None:
            headers["If-None-Match"] = kept[0]
        with self._send(address, headers) as answer:
            again_after = _retry_after(answer.headers.get("Retry-After"))
            if answer.status == 304 and kept is not None:
                return json.loads(kept[1]), again_after
            body = answer.read()
            tag = answer.headers.get("ETag")
        if tag is not None:
            self._kept[address] = (tag, body)
            self._kept.move_to_end(address)
            if len(self._kept) > KEPT_MOST:
                self._kept.popitem(last=False)
        return json.loads(body), again_after

    def _send(self, path: str, headers: dict[str, str], body: bytes | None = None, method: str | None = None):
        attempt = 1
        while True:
            request = urllib.request.Request(
                self._base + path, data=body, headers={**self._headers, **headers}, method=method
            )
            try:
                return urllib.request.urlopen(request, timeout=self._timeout)
            except urllib.error.HTTPError as error:
                if error.code == 304:
                    return error
                retry_after = _retry_after(error.headers.get("Retry-After"))
                problem = _problem(error, retry_after)
                if attempt >= ATTEMPTS or error.code not in RETRIED:
                    raise problem from None
                self._wait(min(WAIT_MOST_S, _backoff(attempt) if retry_after is None else retry_after))
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                if attempt >= ATTEMPTS:
                    raise
                self._wait(_backoff(attempt))
            attempt += 1


def _section(section: dict[str, Any]) -> dict[str, Any] | None:
    if section["tilstand"] == "utilgjengelig":
        raise Utilgjengelig(section)
    return section["data"]


def _company(orgnr: str) -> str:
    return f"/api/bedrift/{urllib.parse.quote(orgnr, safe='')}"


def _watched(orgnr: str) -> str:
    return f"/api/overvaking/{urllib.parse.quote(orgnr, safe='')}"


def _joined(names: Iterable[str] | None) -> str | None:
    return None if names is None else ",".join(names)


def _query(**values: Any) -> str:
    given = {name: value for name, value in values.items() if value is not None}
    return f"?{urllib.parse.urlencode(given)}" if given else ""


def _problem(error: urllib.error.HTTPError, retry_after: float | None) -> Exception:
    text = error.read()
    if "problem+json" not in (error.headers.get("Content-Type") or ""):
        return ConnectionError(f"{error.code}: expected a problem of the service, found {text[:80]!r}")
    return OppslagProblem(json.loads(text), retry_after)


def _retry_after(text: str | None) -> float | None:
    """RFC 9110, 10.2.3: seconds, or a date."""
    if text is None:
        return None
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None


def _backoff(attempt: int) -> float:
    """Those that failed together do not come back together."""
    return random.random() * 0.5 * 2**attempt


def main() -> int:
    """oppslag-klient <orgnr> [felt,…] | sok <tekst> | mange <fil> [felt,…]: OPPSLAG_URL and OPPSLAG_NOKKEL are set."""
    url, nokkel = os.environ.get("OPPSLAG_URL"), os.environ.get("OPPSLAG_NOKKEL")
    words = sys.argv[1:]
    if not words or not url or not nokkel:
        print(main.__doc__, file=sys.stderr)
        return 2
    klient = Klient(url, nokkel)
    try:
        if words[0] == "sok" and len(words) > 1:
            for hit in klient.sok(" ".join(words[1:]))["treff"]:
                print(hit["organisasjonsnummer"], hit["navn"] or "")
        elif words[0] == "mange" and len(words) > 1:
            with open(words[1], encoding="utf-8-sig") as file:
                for line in klient.mange(file.read().replace(",", " ").replace(";", " ").split(), _fields(words[2:])):
                    print(json.dumps(line, ensure_ascii=False))
        else:
            print(json.dumps(klient.bedrift(words[0], _fields(words[1:])), ensure_ascii=False, indent=2))
    except OppslagProblem as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def _fields(words: list[str]) -> list[str] | None:
    return words[0].split(",") if words else None


if __name__ == "__main__":
    sys.exit(main())
