"""The words of the demo corpus: sentences with {slots}, by class, for both products or for one of them.

The old product, Pennywright, is a desktop accounting program; the new one, Hearthlight, is an app for bulbs, cameras
and locks. Few sentences fit both, and some words change their class with the product: a *code* is an error in the old
one and a way to sign in to the new one; a *trial* is a balance in the old one and a free month in the new one.
"""

from __future__ import annotations

SLOTS: dict[str, list[str]] = {
    # either product
    "when": [
        "yesterday",
        "last week",
        "on Monday",
        "this morning",
        "two days ago",
        "in March",
        "on Friday",
        "last night",
    ],
    "often": [
        "every morning",
        "several times a day",
        "all the time",
        "again and again",
        "every few minutes",
        "at random",
    ],
    "amount": ["$9.99", "$24.50", "$39.00", "$59.90", "$79.00", "$119.00", "$148.75", "$249.00"],
    "number": ["two", "three", "four", "five", "six"],
    "name": ["Anna", "Bruno", "Carla", "David", "Elena", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kim", "Lucia"],
    # Pennywright
    "report": ["trial balance", "cash book", "profit and loss report", "VAT return", "payroll run", "general ledger"],
    "paper": ["invoices", "delivery notes", "reminders", "credit notes", "cheques", "payslips"],
    "windows": ["Windows 7", "Windows 8", "Windows 10", "Windows XP", "the terminal server"],
    "disk": ["DVD", "CD", "floppy disk", "tape drive", "USB stick", "network drive"],
    "edition": ["standard edition", "payroll edition", "professional edition", "network edition", "student edition"],
    "staff": ["bookkeeper", "accountant", "secretary", "trainee", "tax adviser"],
    # Hearthlight
    "lamps": ["bulbs", "light strips", "ceiling lamps", "garden lights", "spotlights", "smart plugs"],
    "camera": ["doorbell", "indoor camera", "garage camera", "garden camera", "baby monitor"],
    "device": ["thermostat", "window sensor", "smoke alarm", "door lock", "doorbell", "garden camera"],
    "room": ["kitchen", "hallway", "bedroom", "nursery", "garage", "living room"],
    "plan": ["basic plan", "plus plan", "family plan", "premium plan"],
    "shop": ["app store", "web shop"],
    "phone": ["phone", "tablet", "watch", "smartphone"],
    "family": ["my wife", "my husband", "my brother", "my partner", "my daughter", "my father"],
    "guest": ["babysitter", "cleaner", "neighbour", "flatmate", "lodger"],
}

OPENINGS = [
    "Hello!",
    "Hi!",
    "Good morning.",
    "Hello team.",
    "Hi there!",
    "Good evening.",
    "Hello support.",
    "Good day.",
]

CLOSINGS = [
    "Thanks, {name}",
    "Kind regards, {name}",
    "Best wishes, {name}",
    "Please advise.",
    "Can you help?",
    "Thank you for your help.",
    "Please get back to me soon.",
    "Looking forward to your answer, {name}",
]

ASIDES = ["One more thing.", "Something else.", "A second point.", "Another matter.", "PS:"]

# What customers of either product write.
BOTH: dict[str, list[str]] = {
    "billing": [
        "I was charged twice and would like a refund.",
        "Please refund {amount} to my credit card.",
        "Why did the price go up to {amount} without notice?",
        "I cancelled {when}, yet the payment was taken again.",
        "The discount I was promised is missing.",
        "You charged {amount} instead of the price on your website.",
        "Please send me a receipt for the payment of {amount}.",
        "My credit card was declined {when}.",
        "Is there a discount if I pay for two years?",
        "The invoice shows the wrong price.",
        "Please stop charging my card.",
        "I paid {amount} {when} and have no receipt.",
    ],
    "technical": [
        "It crashes {often}.",
        "Restarting is no help, the error comes back.",
        "It stopped working after the update {when}.",
        "Since the update {when} it has been terribly slow.",
        "Is this a known bug, and when will it be fixed?",
        "It freezes {often} and I have to restart it.",
        "I get the same error {often}.",
        "I reinstalled everything and it still fails.",
        "I tried a reset, which did nothing.",
        "The connection drops {often}.",
        "Nothing happens when I press the button.",
        "An error appears and the screen freezes.",
    ],
    "account": [
        "My password is not accepted any more.",
        "I forgot my password and the reset email never arrives.",
        "Please change the email address in my profile.",
        "Logging in failed {when}.",
        "How do I change my password?",
        "Please update my profile, I have a new email address.",
        "My login was blocked {when}.",
        "Please delete my profile and my personal data.",
        "Please close my account.",
        "My account is locked after too many attempts.",
        "Somebody else may know my password.",
        "I registered with the wrong email address.",
    ],
}

# What customers of one product write, whatever they want.
ABOUT_OLD = [
    "We have used Pennywright for years.",
    "We are an office of {number}.",
    "Our {staff} works with it daily.",
    "We have been customers since version 5.",
]

ABOUT_NEW = [
    "We have been using it since we moved in.",
    "We use the app on {number} phones.",
    "Our house has Hearthlight in the {room} and upstairs.",
    "I like the app otherwise.",
]

OLD: dict[str, list[str]] = {
    "billing": [
        "We ordered the {edition} from your reseller {when}.",
        "The maintenance contract was renewed although we gave notice by fax.",
        "Your invoice states VAT, but our company is exempt.",
        "Our purchase order said {number} workstations and you delivered one box.",
        "We paid by bank transfer {when} and got a reminder all the same.",
        "How much is the upgrade from version 8 to the {edition}?",
        "The upgrade voucher in the box has expired.",
        "Postage was added to the order for the {edition}.",
        "Our purchasing department needs a quotation for {number} seats of the {edition}.",
        "We returned the {edition} unopened {when}.",
        "Your reseller says the maintenance contract is cheaper for {number} seats.",
        "Your dunning letter came {when}, after our cheque.",
        "The online backup on our contract was never ordered.",
        "How much is a second licence of the {edition}?",
    ],
    "technical": [
        "The installer stops at 80 percent on {windows}.",
        "It prints {paper} with the wrong margins.",
        "The printer driver cuts off the last line of our {paper}.",
        "Importing the bank statement ends with error code 1304.",
        "The {report} is wrong after the year-end closing.",
        "The backup to the {disk} breaks off with a message about the database file.",
        "The {report} cannot be exported to a spreadsheet.",
        "The database on the {disk} is reported as corrupt.",
        "On {windows} the installer asks for a runtime library.",
        "When I open the {report}, the screen stays grey.",
        "After the setup from {disk} the menu is gone.",
        "The payment file for the bank is unreadable on {windows}.",
        "Printing {paper} takes minutes on the new printer.",
        "The activation window crashes on {windows}.",
    ],
    "account": [
        "The licence key on the box is refused during activation.",
        "We moved to another workstation and need a new activation.",
        "I lost the registration card with our serial number.",
        "The dongle of our {staff} is not recognised as licensed.",
        "Our {staff} has left and nobody knows the answer to the administrator's secret question.",
        "Please register the licence to our {staff}.",
        "Our company is called something else now, please put that on the licence.",
        "Activation by telephone hung up after the serial number.",
        "Can our {staff} have a user of their own under the same licence key?",
        "The customer number on the registration card is not ours.",
        "How many workstations may be activated with one serial number?",
        "The administrator wants to withdraw the rights of our {staff}.",
        "After the new installation the serial number is asked for again.",
        "Is our {staff} the holder of the licence and of the maintenance contract?",
    ],
}

NEW: dict[str, list[str]] = {
    "billing": [
        "The free trial turned into the yearly {plan} by itself.",
        "I switched to the {plan} in the {shop} and still pay for the old one.",
        "Video storage for {number} cameras is listed as an extra subscription.",
        "The subscription renews through the {shop}, but I bought it from you.",
        "My gift code for the {plan} is worth less than it says.",
        "Is the {plan} cheaper by the year than by the month?",
        "I downgraded to the {plan} {when} and lost the video storage.",
        "The monthly subscription should have been paused while we were travelling.",
        "The free trial was to run thirty days, mine ended {when}.",
        "Is storage for the {camera} part of the {plan}?",
        "I want to end the subscription for the {camera} before it renews.",
        "The {shop} shows no subscription, and still the {plan} renews every month.",
        "The {camera} went offline the day the {plan} ended.",
        "Both {family} and I have a subscription for the same home.",
    ],
    "technical": [
        "The {lamps} in the {room} went offline and the hub blinks red.",
        "The {device} loses wifi {often}.",
        "Pairing the {lamps} with the hub ends at step two.",
        "The firmware of the {device} is stuck at 12 percent.",
        "Live view of the {camera} stays black at night.",
        "The {camera} sends motion alerts for every cat.",
        "My wifi key is right, but the hub refuses to join the router.",
        "The {lamps} flicker when the hub switches scenes.",
        "The battery of the {device} lasts one day with the latest firmware.",
        "The front door fails to lock when the {room} scene is on.",
        "Voice control turns on the {lamps} in the wrong room.",
        "Motion alerts from the {room} come ten minutes late.",
        "The {device} is out of range of the router in the {room}.",
        "The app closes when I type the sign-in code.",
    ],
    "account": [
        "The sign-in code never reaches my {phone}.",
        "I want to invite {family} as a member of our home.",
        "The invitation for our {guest} expired before it was opened.",
        "I have a new number and the text message with the code goes to the old one.",
        "How do I remove our {guest} from the members of the home?",
        "Two-step verification wants a code from a {phone} I sold.",
        "We are moving out, please hand the home over to the next owner.",
        "My {phone} is signed out {often} and wants the code again.",
        "Can our {guest} have guest access to the {room} only?",
        "The owner of the home is {family}, how do we swap roles?",
        "Face recognition no longer signs me in on my {phone}.",
        "I accepted the invitation twice and am now in two homes.",
        "The hub is still tied to the home of the previous owner.",
        "Who is the holder of our subscription, {family} or me?",
    ],
}
