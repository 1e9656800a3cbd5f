from .page import render_card as render_card
from .page import render_page as render_page
