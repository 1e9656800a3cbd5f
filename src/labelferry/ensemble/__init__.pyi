from .auto_transfer import AutoTransfer as AutoTransfer
